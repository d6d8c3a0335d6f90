"""The text of a composition: as its authors wrote it where nothing was cut, laid out anew elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gristmill.source import Span
from gristmill.source.undecoded import undecoded
from gristmill.syntax import tree
from gristmill.syntax.layout import Layout
from gristmill.syntax.print_module import ModulePrinter
from gristmill.syntax.tree import Expression

WIDTH = 100

Originals = dict[tuple[int, int, type], Any]


def originals_in(node: Any) -> Originals:
    """The nodes of a tree, by their places."""
    found: Originals = {}
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, Span):
            continue
        if isinstance(each, tuple):
            waiting.extend(each)
        elif type(each).__module__ == tree.__name__:
            span = getattr(each, "span", None)
            if span is not None:
                found.setdefault((span.start, span.end, type(each)), each)
            waiting.extend(getattr(each, name) for name in type(each).__match_args__)
    return found


def unit_text(unit: tree.Unit, original: tree.Unit) -> str:
    """A definition; `original` is what it was made of."""
    if unit == original and not isinstance(unit, tree.Recursive) and not getattr(original, "local", False):
        text = moved(original.span, 0)
        if text is not None:
            return text
    printer = TextPrinter(Layout(), originals_in(original))
    printer.unit(unit)
    return printer.layout.text()


def expression_text(node: Expression, original: Expression | None, column: int) -> str:
    printer = TextPrinter(Layout(column), {} if original is None else originals_in(original))
    printer.item(node)
    return printer.layout.text()


def moved(span: Span, column: int) -> str | None:
    """A piece of text as it stands there, for another column; None if it cannot be moved as it is."""
    text = span.file.text[span.start : span.end]
    shift = column - (span.file.position(span.start)[1] - 1)
    if "\t" in text or next(undecoded(text), None) is not None:
        return None
    first, *rest = text.split("\n")
    lines = [first.rstrip()]
    for line in rest:
        line = line.rstrip()
        if shift < 0 and line[:-shift].strip():
            return None
        lines.append(line[-shift:] if shift < 0 else " " * shift + line if line else "")
    return "\n".join(lines)


class TextPrinter(ModulePrinter):
    """Prints a tree, and takes items of lists from the text that they stand in, if they are unchanged."""

    def __init__(self, layout: Layout, originals: Originals) -> None:
        super().__init__(layout, unicode=False)
        self.originals = originals

    def expression(self, node: Expression) -> None:
        own = _OWN.get(type(node))
        if own is None:
            super().expression(node)
        else:
            own(self, node)

    def item(self, node: Expression) -> None:
        """Something behind which a line ends, or a keyword follows."""
        span = node.span
        if self.originals.get((span.start, span.end, type(node))) == node:
            text = moved(span, self.layout.column)
            if text is not None:
                self.verbatim(text)
                return
        self.expression(node)

    def verbatim(self, text: str) -> None:
        self.write(text)
        if "\n" in text:
            self.layout.column = len(text) - text.rfind("\n") - 1

    def junction(self, node: tree.Junction) -> None:
        column, bullet = self.layout.column, self.symbol(node.operator) + " "
        for index, item in enumerate(node.items):
            if index:
                self.layout.newline(column)
            self.write(bullet)
            self.item(item)
        self.layout.open_list = column

    def if_(self, node: tree.If) -> None:
        if not any(_is_long(each) for each in (node.condition, node.then, node.otherwise)):
            super().if_(node)
            return
        column = self.layout.column
        for word, part in (("IF ", node.condition), ("THEN ", node.then), ("ELSE ", node.otherwise)):
            if word != "IF ":
                self.layout.newline(column)
            self.write(word)
            self.item(part)

    def let(self, node: tree.Let) -> None:
        start = self.layout.column
        self.write("LET ")
        column = self.layout.column
        for index, definition in enumerate(node.definitions):
            if index:
                self.layout.newline(column)
            self.definition(definition)
        self.layout.newline(start)
        self.write("IN ")
        self.item(node.body)

    def quantified(self, node: tree.Quantified) -> None:
        start = self.layout.column
        self.write(self.symbol(node.quantifier) + " ")
        self.bounds(node.bounds)
        self.write(" :")
        if isinstance(node.body, tree.Junction | tree.Let | tree.Quantified):
            self.layout.newline(start + 2)
        else:
            self.write(" ")
        self.item(node.body)

    def tuple_(self, node: tree.Tuple) -> None:
        self.write(self.symbol("<<"))
        self.wrapped(node.items)
        self.write(self.symbol(">>"))

    def wrapped(self, items: Sequence[Expression]) -> None:
        """Names go to a further line when this one is full."""
        column = self.layout.column
        for index, item in enumerate(items):
            if index:
                self.write(",")
                if isinstance(item, tree.Name) and self.layout.column + len(item.name) > WIDTH:
                    self.layout.newline(column)
                else:
                    self.write(" ")
            self.expression(item)

    def definition(self, node: tree.Definition) -> None:
        if not isinstance(node, tree.OperatorDefinition):
            super().definition(node)
            return
        column = self.layout.column
        self.left_hand_side(node.name, node.params)
        self.write(f" {self.symbol('==')}")
        if isinstance(node.body, tree.Junction | tree.Let | tree.Quantified):
            self.layout.newline(column + 4)
        else:
            self.write(" ")
        self.item(node.body)


_OWN: dict[type, Callable[[TextPrinter, Any], None]] = {
    tree.Junction: TextPrinter.junction,
    tree.If: TextPrinter.if_,
    tree.Let: TextPrinter.let,
    tree.Quantified: TextPrinter.quantified,
    tree.Tuple: TextPrinter.tuple_,
}


def _is_long(node: Any) -> bool:
    """Whether it takes more than a line."""
    if isinstance(node, tree.Junction | tree.Let):
        return True
    match node:
        case tree.Parens(body) | tree.Quantified(_, _, body):
            return _is_long(body)
    return isinstance(node, tree.If)


def comment_before(unit: tree.Unit, units: Sequence[tree.Unit]) -> str:
    """The comment in front of a definition, if nothing else stands between it and the definition before."""
    file, start = unit.span.file, unit.span.start
    end = max((each.span.end for each in units if each.span.end <= start), default=None)
    if end is None or file.position(start)[1] != 1:
        return ""
    between = file.text[end:start]
    lines = between.rstrip().split("\n")
    comment: list[str] = []
    for line in reversed(lines[1:]):  # the first one ends the unit before
        if not line.strip():
            break
        comment.insert(0, line.rstrip())
    text = "\n".join(comment)
    is_whole = bool(comment) and all(line.startswith("\\*") for line in comment)
    is_block = text.startswith("(*") and text.endswith("*)") and text.count("(*") == text.count("*)")
    return text if (is_whole or is_block) and next(undecoded(text), None) is None else ""
