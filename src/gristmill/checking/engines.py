"""Which engine explores the states of a run."""

from __future__ import annotations

from collections.abc import Callable

from gristmill.checking.options import Options
from gristmill.checking.reference import ReferenceExplorer
from gristmill.checking.run import Check, Explorer, watched
from gristmill.ir.model import Model
from gristmill.search import Result
from gristmill.source import Diagnostic


def check(model: Model, options: Options) -> Result:
    """The verdict on a model, by the engine that `options` name."""
    if options.fingerprint and model.temporal and options.engine != "python":
        return _needs_states(model)
    with model.world.active():
        return watched(lambda: Check(model, options, _explorer(options)).run(), options.limits)


def _explorer(options: Options) -> Callable[[Check], Explorer]:
    if options.engine == "python":
        return ReferenceExplorer
    from gristmill.checking.native import NativeExplorer  # who asks for Python needs no compiler

    return NativeExplorer


def _needs_states(model: Model) -> Result:
    """Fingerprints are all that is wanted, and not enough."""
    names = ", ".join(sorted({formula.name for formula in model.temporal}))
    message = f"{names}: a temporal property is decided on the states themselves, of which --fingerprint keeps none"
    help = "leave out --fingerprint, or check the temporal properties in a run of their own"
    return Result("error", message=message, diagnostics=(Diagnostic("needs-states", message, help=help),), status=151)
