"""A session in the terminal: the path at the left, the state, the steps at the right, expressions below (textual)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Footer, Input, ListItem, ListView, Static

from gristmill.report.changes import step_words
from gristmill.report.explanation import blocked_words
from gristmill.report.page.elide import elided
from gristmill.report.page.of_trace import title_of
from gristmill.report.style import printable
from gristmill.source import SourceError
from gristmill.stepping.session import ROOT, Node, Option, Session
from gristmill.trace.itf import itf_document
from gristmill.values import show

_WIDTH = 110  # letters of what a step changes in a variable
_MOST_WORDS = 3
_LONGEST_VALUE = 2_000
_MOST_OPTIONS = 300
_LONGEST_GUARD = 300  # letters


def _indented(text: str, columns: int) -> Padding:
    """Also where it is broken to the width of its place."""
    return Padding(Text(elided(text, _LONGEST_GUARD), "dim"), (0, 0, 0, columns))


def _value_of(name: str, value: str) -> RenderableType:
    """A variable; a value of several lines stands beside its name."""
    row = Table(Column(no_wrap=True), Column(ratio=1), box=None, show_header=False, padding=0, pad_edge=False)
    row.add_row(Text(f"{name} = ", "bold"), Text(value))
    return row


class StepApp(App[None]):
    """`start`: the state to begin with; `save_to`: the file that `s` writes the path to."""

    CSS = """
    #columns { height: 1fr; }
    #columns > * { width: 2fr; border: round $primary-darken-2; padding: 0 1; }
    #left { width: 1fr; }
    .-narrow #columns { layout: grid; grid-size: 2 2; grid-rows: 1fr 3fr; }
    .-narrow #left { column-span: 2; }
    #watches { height: auto; max-height: 12; padding: 0 1; }
    #note { height: auto; color: $warning; padding: 0 1; }
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("backspace", "back", "back"),
        Binding("right", "forward", "forward"),
        Binding("r", "restart", "start again"),
        Binding("w", "watch", "watch"),
        Binding("b", "blocked", "blocked"),
        Binding("s", "save", "save trace"),
        Binding("q", "quit", "quit"),
        Binding("escape", "options", show=False),
        *(Binding(str(number), f"take({number - 1})", show=False) for number in range(1, 10)),
    ]

    def __init__(self, session: Session, start: int = ROOT, note: str = "", save_to: str | None = None) -> None:
        super().__init__()
        self.session, self.here = session, session.node(start)
        self.said = note
        self.save_to = save_to or f"{session.specification.name}.itf.json"
        self.watched: list[str] = []
        self.shows_blocked = True

    def compose(self) -> ComposeResult:
        with Horizontal(id="columns"):
            with VerticalScroll(id="left"):
                yield Static(id="path", markup=False)
            with VerticalScroll(id="middle"):
                yield Static(id="state", markup=False)
            yield ListView(id="options")
        yield Static(id="watches", markup=False)
        yield Static(id="note", markup=False)
        yield Input(placeholder="an expression, such as Len(log[s1]): its value in each state", id="expression")
        yield Footer()

    async def on_mount(self) -> None:
        self.title = self.session.specification.name
        for name, title in (("left", "Path"), ("middle", "State"), ("options", "Steps")):
            self.query_one(f"#{name}").border_title = title
        await self.show(self.here)
        self.query_one("#options", ListView).focus()

    # -------------------------------------------------------------------------------------------------------- moving

    async def show(self, node: Node) -> None:
        self.here = node
        options = self.session.options(node.number)
        blocked = [*self._blocked()] if self.shows_blocked else []
        false = self.session.false_invariants(node.number)
        with self.session.specification.world.active():
            self.query_one("#path", Static).update(self._path())
            self.query_one("#state", Static).update(self._state(false, blocked))
            items = [ListItem(Static(self._option(at, each))) for at, each in enumerate(options[:_MOST_OPTIONS])]
        if len(options) > _MOST_OPTIONS:
            self.said = f"{len(options) - _MOST_OPTIONS:,} more steps are not listed"
        view = self.query_one("#options", ListView)
        view.border_title = f"Steps: {len(options):,}" if node.taken else f"Initial states: {len(options):,}"
        await view.clear()
        await view.extend(items)
        view.index = 0 if items else None
        self.query_one("#watches", Static).update(self._watches())
        self.query_one("#note", Static).update(Text(printable(self.said)))
        self.said = ""

    async def on_list_view_selected(self, event: ListView.Selected) -> None:
        if event.list_view.index is not None:
            await self.action_take(event.list_view.index)

    async def action_take(self, number: int) -> None:
        if number < len(self.session.options(self.here.number)):
            await self.show(self.session.take(self.here.number, number))

    async def action_back(self) -> None:
        if self.here.parent is not None:
            await self.show(self.session.node(self.here.parent))

    async def action_forward(self) -> None:
        """Where one has been last."""
        if self.here.children:
            await self.show(self.session.node(list(self.here.children.values())[-1]))

    async def action_restart(self) -> None:
        await self.show(self.session.node(ROOT))

    async def action_blocked(self) -> None:
        self.shows_blocked = not self.shows_blocked
        await self.show(self.here)

    def action_watch(self) -> None:
        self.query_one("#expression", Input).focus()

    def action_options(self) -> None:
        self.query_one("#options", ListView).focus()

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """An expression is watched from now on; one that is watched already, no longer."""
        text = event.value.strip()
        if text in self.watched:
            self.watched.remove(text)
        elif text:
            try:
                self.session.values(self.here.number, text)
                self.watched.append(text)
            except SourceError as error:
                self.said = str(error)
        if not self.said:
            event.input.value = ""
        await self.show(self.here)

    async def action_save(self) -> None:
        document = itf_document(self.session.trace(self.here.number), source=self.session.specification.name)
        try:
            Path(self.save_to).write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
            self.said = (
                f"{self.save_to} is written; gristmill step … --at {self.session.link(self.here.number)} leads here"
            )
        except OSError as error:
            self.said = f"{self.save_to} cannot be written: {error.strerror or error}"
        await self.show(self.here)

    # ------------------------------------------------------------------------------------------------------- contents

    def _path(self) -> Text:
        text = Text()
        for number, node in enumerate(self.session.path(self.here.number), 1):
            assert node.taken is not None
            style = "bold" if node is self.here else ""
            text.append(f"{number:>3}  {printable(title_of(node.taken.step))}\n", style)
        return text if text else Text("Choose an initial state.", "dim")

    def _state(self, false: list[str], blocked: list[RenderableType]) -> RenderableType:
        node = self.here
        parts: list[RenderableType] = []
        if false:
            parts.append(Text(f"False here: {', '.join(false)}\n", "bold red"))
        if node.error:
            parts.append(Text(printable(node.error), "red"))
        if node.taken is not None:
            before = self.session.node(node.parent or ROOT).taken
            words = [] if before is None else step_words(before.state.raw, node.taken.state.raw, _WIDTH)
            parts += [Text(f"{each.place}: {each.what}", "yellow") for each in words]
            parts.append(Text(""))
            for name, value in node.taken.state.raw.items():
                shown = printable(elided(show(value), _LONGEST_VALUE))
                parts.append(_value_of(name, shown))
        if blocked:
            parts += [Text("\nNot possible here, and why", "bold"), *blocked]
        return Group(*parts)

    def _blocked(self) -> Iterator[RenderableType]:
        """What is false stands below the action, as a column beside it has no room; what follows is indented alike."""
        for each in self.session.blocked(self.here.number):
            action, lines = blocked_words(each)
            yield Text(action)
            for number, (formula, remark) in enumerate(lines):
                yield _indented(formula, 2 if number == 0 else 4)
                yield from [_indented(remark, 4)] if remark else []

    def _option(self, number: int, option: Option) -> RenderableType:
        text = Text.assemble((f"{number + 1:>2} ", "dim"), (printable(title_of(option.step)), "bold"))
        if number in self.here.children:
            text.append(" •", "cyan")
        if self.here.taken is None:
            words = [f"{name} = {show(value)}" for name, value in option.state.raw.items()]
        else:
            words = [str(each) for each in step_words(self.here.taken.state.raw, option.state.raw, _WIDTH)]
        more = [f"… {len(words) - _MOST_WORDS} more"] if len(words) > _MOST_WORDS else []
        lines = [*(printable(elided(each, _WIDTH)) for each in words[:_MOST_WORDS]), *more]
        return Group(text, *(_indented(line, 3) for line in lines))

    def _watches(self) -> RenderableType:
        if not self.watched or self.here.taken is None:
            return ""
        table = Table("", *(Column(Text(each)) for each in self.watched), box=None, pad_edge=False)
        columns = [self.session.values(self.here.number, text) for text in self.watched]
        for number, row in enumerate(zip(*columns, strict=True), 1):
            table.add_row(str(number), *(Text(printable(elided(each, _WIDTH))) for each in row))
        return table
