"""Who looks at a model after each pass: writes it down, verifies it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from gristmill.ir.model import Model

Observer = Callable[[str, Model], None]  # is given the name of the pass

VERIFY = "GRISTMILL_VERIFY_IR"  # in the environment: verify the IR after each pass


class Written:
    """Writes models to a folder: `00-lowered.txt`, and so on."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._count = folder, 0

    def __call__(self, name: str, model: Model) -> None:
        from gristmill.ir.printer import print_model  # who does not ask for it need not wait for it

        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{self._count:02}-{name.replace('_', '-')}.txt"
        path.write_text(print_model(model), encoding="utf-8")
        self._count += 1


def _verified(name: str, model: Model) -> None:
    from gristmill.ir.verify import verify

    verify(model)


def with_verifier(*observers: Observer) -> Observer:
    """All of them, and the verifier if the environment asks for it."""
    everyone = (*observers, _verified) if os.environ.get(VERIFY) else observers

    def observe(name: str, model: Model) -> None:
        for each in everyone:
            each(name, model)

    return observe
