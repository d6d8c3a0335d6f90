"""The mapping between a specification and a system: one TOML file."""

from gristmill.replay.mapping.parts import ActionMap, Known, Mapping, Move, VariableMap, ViolationMap
from gristmill.replay.mapping.reading import document_of, read_mapping, specification_of

__all__ = [
    "ActionMap",
    "Known",
    "Mapping",
    "Move",
    "VariableMap",
    "ViolationMap",
    "document_of",
    "read_mapping",
    "specification_of",
]
