"""Why a message cannot have been sent: what each way to send it lacks, when it was allowed, and what would be."""

from gristmill.watch.explaining.parts import Candidate, Change, Earlier, Instead, Lack, PathStep, Reasons
from gristmill.watch.explaining.reasons import reasons

__all__ = ["Candidate", "Change", "Earlier", "Instead", "Lack", "PathStep", "Reasons", "reasons"]
