"""From the text of a specification to modules in which every name is resolved and every level is checked."""

from gristmill.modules.api import Loaded, load_specification
from gristmill.modules.specification import ResolvedModule, Specification

__all__ = ["Loaded", "ResolvedModule", "Specification", "load_specification"]
