"""Text under construction, with the one thing that TLA+ cares about: the column."""


class Layout:
    """Appends text and knows the column. `open_list` is the column of a junction list that has just ended unclosed."""

    def __init__(self, column: int = 0) -> None:
        self.parts: list[str] = []
        self.column = column
        self.open_list: int | None = None

    def write(self, text: str) -> None:
        if text:
            self.parts.append(text)
            self.column += len(text)
            self.open_list = None

    def ends_with(self, text: str) -> bool:
        return bool(self.parts) and self.parts[-1].endswith(text)

    def newline(self, column: int) -> None:
        self.parts.append("\n" + " " * column)
        self.column = column

    def close_list(self) -> bool:
        """Before an operator: step out of a junction list, whose last item would swallow it. Tells whether it did."""
        if self.open_list is None:
            return False
        self.newline(max(self.open_list - 1, 0))
        self.open_list = None
        return True

    def text(self) -> str:
        return "".join(self.parts)
