"""What a run takes over from an earlier one of the same model, and hands on to the next: the layout of its states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gristmill.values import current

if TYPE_CHECKING:
    from gristmill.checking.native import NativeExplorer
    from gristmill.native.emit.generate import Generated
    from gristmill.native.run.learnt import Learnt, Notebook
    from gristmill.native.run.symmetry import Permutation


class Lessons:
    """For models that the reference evaluator does not finish in its head start; others need none."""

    def __init__(self, explorer: NativeExplorer, group: Sequence[Permutation]) -> None:
        self._explorer, self._group = explorer, group
        self._names = tuple(current().positions)  # before anything is evaluated
        self._notebook: Notebook | None = None
        self._taken: Learnt | None = None

    @property
    def _are_possible(self) -> bool:
        """Not in a search in order, which the reference evaluator's first states are a part of, nor where a checkpoint
        has a layout of its own."""
        own = self._explorer.check.options
        return own.engine == "auto" and not self._explorer.is_in_order and own.checkpoint is None

    def recalled(self) -> Learnt | None:
        if not self._are_possible:
            return None
        from gristmill.native.run.learnt import Notebook
        from gristmill.native.run.symmetry import can_be_permuted

        model, with_view = self._explorer.check.model, self._explorer.with_view
        self._notebook = Notebook(model, self._names, bool(self._group), with_view)
        found = self._notebook.recall()
        if found is None or (self._group and not can_be_permuted(found.layouts, self._group)):
            return None
        self._taken = found
        return found

    def were_wrong(self) -> bool:
        """A state does not fit what was recalled; whether there was anything."""
        wrong, self._taken = self._taken is not None, None
        return wrong

    def learn(self, generated: Generated) -> None:
        """A search has come to its end with this."""
        taken = self._taken
        if taken is not None and (taken.layouts, taken.widths) == (generated.layouts, generated.widths):
            return
        if self._notebook is not None:
            self._notebook.remember(generated)
