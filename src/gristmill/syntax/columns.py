"""Columns of a text with tabs. Alignment is what people see: a tab goes on to the next multiple of eight."""

TAB_STOP = 8


class Columns:
    """Columns (from 0) of offsets that are asked for in ascending order, so that long lines are read only once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.offset = self.column = 0

    def column_of(self, offset: int) -> int:
        newline = self.text.rfind("\n", self.offset, offset)
        if newline >= 0:
            self.offset, self.column = newline + 1, 0
        self.column = column_behind(self.text[self.offset : offset], self.column)
        self.offset = offset
        return self.column


def column_behind(text: str, column: int) -> int:
    """The column behind a text that begins in `column`."""
    newline = text.rfind("\n")
    if newline >= 0:
        text, column = text[newline + 1 :], 0
    if "\t" not in text:
        return column + len(text)
    past_stop = column % TAB_STOP
    return column - past_stop + len((" " * past_stop + text.replace("\r", " ")).expandtabs(TAB_STOP))
