"""PlusCal: from an algorithm in a comment to a TLA+ specification."""

from gristmill.pluscal.locate import AlgorithmRegion, TranslationRegion, find_algorithm
from gristmill.pluscal.prepare import (
    TranslatedFile,
    original_span,
    point_back,
    prepare,
    translation_state,
)
from gristmill.pluscal.step_places import step_place, step_process
from gristmill.pluscal.translate import Translation, translate

__all__ = [
    "AlgorithmRegion",
    "TranslatedFile",
    "Translation",
    "TranslationRegion",
    "find_algorithm",
    "original_span",
    "point_back",
    "prepare",
    "step_place",
    "step_process",
    "translate",
    "translation_state",
]
