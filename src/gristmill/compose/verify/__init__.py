"""Is each coarse grain a fair stand-in for its module, and what follows for the whole system?"""

from __future__ import annotations

from gristmill.compose.conclusion import Verified
from gristmill.compose.system import System


def accepts(system: System, seconds: float | None = None) -> Verified:
    """Whether what holds of a composition holds of the whole. `seconds`: for each composition."""
    from gristmill.checking.options import Options  # whoever looks at one condition alone needs no engine
    from gristmill.compose.verify.verification import verify
    from gristmill.search import Limits

    found = verify(system, Options(limits=Limits(seconds=seconds), output=lambda text: None))
    match found.outcome:
        case "proven":
            return Verified(True, "the coarse grains can stand in for the fine ones (`compose verify`)")
        case "rejected":
            return Verified(False, " ".join(found.argument))
    return Verified(None, " ".join(found.argument))
