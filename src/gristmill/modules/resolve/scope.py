"""The names that can be seen, while a module is walked.

There is one dictionary of what is visible now, and a log of what each binding replaced: entering a scope costs
nothing, leaving it costs what was bound in it, and a lookup is one dictionary access however deep the nesting.
"""

from __future__ import annotations

from gristmill.modules.builtins import BUILT_INS
from gristmill.modules.specification import ResolvedModule
from gristmill.modules.symbols import Symbol


class Scope:
    __slots__ = ("_log", "_marks", "_module_log", "contexts", "modules", "names")

    def __init__(self) -> None:
        self.names: dict[str, Symbol] = dict(BUILT_INS)
        self.modules: dict[str, ResolvedModule] = {}
        # Where the names of the innermost scope are also kept, for those who look into it later.
        self.contexts: list[dict[str, Symbol] | None] = []
        self._log: list[tuple[str, Symbol | None]] = []
        self._module_log: list[tuple[str, ResolvedModule | None]] = []
        self._marks: list[tuple[int, int]] = []

    def enter(self, context: dict[str, Symbol] | None = None) -> None:
        """Begin a scope. What `context` already holds is visible in it again."""
        self._marks.append((len(self._log), len(self._module_log)))
        self.contexts.append(context)
        if context:
            for name, symbol in context.items():
                self._log.append((name, self.names.get(name)))
                self.names[name] = symbol

    def leave(self) -> None:
        mark, module_mark = self._marks.pop()
        self.contexts.pop()
        log = self._log
        while len(log) > mark:
            name, before = log.pop()
            if before is None:
                del self.names[name]
            else:
                self.names[name] = before
        while len(self._module_log) > module_mark:
            name, module = self._module_log.pop()
            if module is None:
                del self.modules[name]
            else:
                self.modules[name] = module

    def bind(self, name: str, symbol: Symbol) -> None:
        names = self.names
        self._log.append((name, names.get(name)))
        names[name] = symbol
        context = self.contexts[-1]
        if context is not None:
            context[name] = symbol

    def bind_module(self, name: str, module: ResolvedModule) -> None:
        self._module_log.append((name, self.modules.get(name)))
        self.modules[name] = module
