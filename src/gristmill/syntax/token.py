"""The tokens of TLA+, as parallel lists: what a parser of megabytes in Python can afford.

A token's *kind* is a string: a class (`identifier`, `number`, `decimal`, `string`, `step`, `separator`,
`module`, `end-module`, `end`, `unexpected`), or the canonical spelling of a keyword, a delimiter or an operator.
"""

from dataclasses import field

from gristmill.source import SourceFile, Span
from gristmill.source.quick_dataclass import dataclass
from gristmill.syntax.operators import SPELLING_TO_NAME

IDENTIFIER, NUMBER, DECIMAL, STRING, STEP = "identifier", "number", "decimal", "string", "step"
SEPARATOR, MODULE, END_MODULE, END = "separator", "module", "end-module", "end"
UNEXPECTED = "unexpected"  # characters that are no token

# Several spellings of one keyword have one kind.
KEYWORDS = {
    word: words.split()[0]
    for words in """
    ASSUME; ASSUMPTION AXIOM; CASE; CHOOSE; CONSTANT CONSTANTS; ELSE; EXCEPT; EXTENDS; IF; IN; INSTANCE; LAMBDA; LET;
    LOCAL; MODULE; OTHER; RECURSIVE; THEN; THEOREM; PROPOSITION LEMMA COROLLARY; VARIABLE VARIABLES; WITH;
    ACTION ACTIONS; STATE; TEMPORAL TEMPORALS; NEW; BY; DEF DEFS; DEFINE; HAVE; HIDE; OBVIOUS; OMITTED; ONLY; PICK;
    PROOF; PROVE; QED; SUFFICES; TAKE; USE; WITNESS; ENABLED; UNCHANGED; SUBSET; UNION; DOMAIN
    """.split(";")
    for word in words.split()
}

# Delimiters and binders: every spelling -> its kind. `;` occurs in PlusCal only.
DELIMITERS = {
    "(": "(",
    ")": ")",
    "[": "[",
    "]": "]",
    "]_": "]_",
    "{": "{",
    "}": "}",
    "<<": "<<",
    "⟨": "<<",
    ">>": ">>",
    "⟩": ">>",
    ">>_": ">>_",
    "⟩_": ">>_",
    ",": ",",
    ":": ":",
    "::": "::",
    "∷": "::",
    ";": ";",
    ".": ".",
    "_": "_",
    "!": "!",
    "@": "@",
    "==": "==",
    "≜": "==",
    "->": "->",
    "→": "->",
    "<-": "<-",
    "←": "<-",
    "|->": "|->",
    "↦": "|->",
    "\\A": "\\A",
    "\\forall": "\\A",
    "∀": "\\A",
    "\\E": "\\E",
    "\\exists": "\\E",
    "∃": "\\E",
    "\\AA": "\\AA",
    "\\EE": "\\EE",
    "[]ASSUME": "[]ASSUME",
    "□ASSUME": "[]ASSUME",
    "[]PROVE": "[]PROVE",
    "□PROVE": "[]PROVE",
}

# Sets of numbers that have a symbol of their own are ordinary identifiers.
UNICODE_IDENTIFIERS = {"ℕ": "Nat", "ℤ": "Int", "ℝ": "Real"}

SYMBOL_KINDS = {**DELIMITERS, **{s: n for s, n in SPELLING_TO_NAME.items() if s not in KEYWORDS}}


@dataclass(slots=True)
class Tokens:
    """The tokens of one module, with one `end` token behind the last; `comments` are (start, end) offsets."""

    file: SourceFile
    kinds: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    columns: list[int] = field(default_factory=list)  # from 0
    comments: list[tuple[int, int]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.kinds)

    def text(self, index: int) -> str:
        return self.file.text[self.starts[index] : self.ends[index]]

    def span(self, index: int) -> Span:
        return Span(self.file, self.starts[index], self.ends[index])

    def add(self, kind: str, start: int, end: int, column: int) -> None:
        self.kinds.append(kind)
        self.starts.append(start)
        self.ends.append(end)
        self.columns.append(column)
