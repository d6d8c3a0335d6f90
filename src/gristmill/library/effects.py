"""What evaluating an operator does to the world or asks of it, and what follows from that.

Every question that a stage has about effects is one of the sets below, so that a new effect is looked at in one place.
"""

from __future__ import annotations

from enum import Flag, auto
from typing import Final


class Effect(Flag):
    PRINTS = auto()
    WARNS = auto()  # tells people something, once
    WRITES_FILES = auto()
    READS_FILES = auto()  # that do not change meanwhile
    READS_WRITTEN_FILES = auto()  # to which the specification itself may be writing
    READS_ENVIRONMENT = auto()
    RUNS_PROGRAMS = auto()
    READS_CLOCK = auto()
    DRAWS = auto()  # at random
    READS_REGISTERS = auto()
    SETS_REGISTERS = auto()
    ASKS_SEARCH = auto()  # how far it is, or which states it has seen
    STEERS_SEARCH = auto()  # ends it
    ASKS_A_PERSON = auto()
    CATCHES_ERRORS = auto()  # has a value where evaluating an argument is an error
    MAKES_NAMES = auto()  # a string or model value that may be new: their order is that in which they appear
    EVALUATES_BY_NAME = auto()  # a definition that it is told the name of, whatever that does


NONE: Final = Effect(0)

# What is read is the same as long as the process runs: as good as no effect at all.
UNNOTICED: Final = Effect.READS_ENVIRONMENT

# In a definition that is a constant it is enough to do it once. With all else, something new may come of it each time.
ONCE_IS_ENOUGH: Final = (
    Effect.PRINTS | Effect.WRITES_FILES | Effect.READS_FILES | Effect.DRAWS | Effect.CATCHES_ERRORS | Effect.MAKES_NAMES
)

# Something is done outside of this process, or the value depends on that: a journal remembers the answers.
OUTSIDE: Final = Effect.WRITES_FILES | Effect.RUNS_PROGRAMS | Effect.READS_WRITTEN_FILES

# Pure: the value is the same whenever it is evaluated, and evaluation cannot be observed.
STEADY: Final = Effect.READS_FILES | Effect.CATCHES_ERRORS | Effect.MAKES_NAMES

# The value is the same; what is noticed is no part of it.
STEADY_OR_SEEN: Final = STEADY | Effect.PRINTS | Effect.WRITES_FILES

# The time of evaluation cannot be observed, as long as it is evaluated once.
SILENT: Final = Effect.DRAWS | Effect.READS_FILES | Effect.MAKES_NAMES

# The value may depend on how far the search is.
FOLLOWS_SEARCH: Final = Effect.ASKS_SEARCH | Effect.READS_REGISTERS | Effect.SETS_REGISTERS | Effect.EVALUATES_BY_NAME

# It can be undone or is not noticed, if nothing is printed and registers are restored: it may be evaluated again in
# order to explain it.
REPEATABLE: Final = (
    Effect.PRINTS
    | Effect.WARNS
    | Effect.READS_CLOCK
    | Effect.DRAWS
    | Effect.READS_REGISTERS
    | Effect.SETS_REGISTERS
    | Effect.ASKS_SEARCH
    | Effect.STEERS_SEARCH
    | Effect.ASKS_A_PERSON
    | Effect.CATCHES_ERRORS
    | Effect.MAKES_NAMES
)
