"""The operator table of TLA+: every symbol with its fixity, precedence range, associativity and spellings.

The *name* of an operator is one fixed ASCII spelling (`\\cup` is named `\\cup` whether written `\\cup`, `\\union` or
`∪`); trees, symbols and messages use names. Two neighbouring operators whose ranges overlap, and which are not the
same left-associative operator, are in conflict and need parentheses.
"""

from typing import Literal

from gristmill.source.quick_dataclass import dataclass

Fixity = Literal["prefix", "infix", "postfix"]


@dataclass(frozen=True, slots=True)
class Operator:
    name: str
    fixity: Fixity
    low: int
    high: int
    left: bool = False  # left-associative
    spellings: tuple[str, ...] = ()  # all ASCII spellings, the name first
    unicode: str | None = None  # the spelling that the Unicode printer uses
    more_unicode: tuple[str, ...] = ()  # others that are read

    @property
    def arity(self) -> int:
        return 2 if self.fixity == "infix" else 1


def _operators(fixity: Fixity, rows: str) -> list[Operator]:
    """Rows are `low-high L|N spellings…`; the spellings outside ASCII are the Unicode ones."""
    table = []
    for row in rows.strip().splitlines():
        precedence, associativity, *symbols = row.split()
        low, _, high = precedence.partition("-")
        ascii_symbols = tuple(s for s in symbols if s.isascii())
        unicode_symbols = [s for s in symbols if not s.isascii()]
        table.append(
            Operator(
                ascii_symbols[0],
                fixity,
                int(low),
                int(high or low),
                associativity == "L",
                ascii_symbols,
                unicode_symbols[0] if unicode_symbols else None,
                tuple(unicode_symbols[1:]),
            )
        )
    return table


PREFIX_OPERATORS = _operators(
    "prefix",
    r"""
    4     L ~ \lnot \neg ¬
    4-15  N [] □
    4-15  N <> ◇
    4-15  N ENABLED
    4-15  N UNCHANGED
    10-13 N SUBSET
    10-13 N UNION
    10-13 N DOMAIN
    12    N -.
    """,
)

INFIX_OPERATORS = _operators(
    "infix",
    r"""
    1     N => ⇒
    2     N ~> ↝
    2     N <=> \equiv ≡ ⇔
    2     N -+-> ⇸
    3     L /\ \land ∧
    3     L \/ \lor ∨
    5     N =
    5     N /= # ≠
    5     N \in ∈
    5     N \notin ∉
    5     N \subseteq ⊆
    5     N <
    5     N <= =< \leq ≤
    5     N >
    5     N >= \geq ≥
    5     N |- ⊢
    5     N |= ⊨
    5     N -| ⊣
    5     N =| ⫤
    5     N := ≔
    5     N ::= ⩴
    5     N \prec ≺
    5     N \succ ≻
    5     N \preceq ⪯
    5     N \succeq ⪰
    5     N \sim ∼
    5     N \simeq ≃
    5     N \ll ≪
    5     N \gg ≫
    5     N \asymp ≍
    5     N \subset ⊂
    5     N \supset ⊃
    5     N \supseteq ⊇
    5     N \approx ≈
    5     N \cong ≅
    5     N \sqsubset ⊏
    5     N \sqsubseteq ⊑
    5     N \sqsupset ⊐
    5     N \sqsupseteq ⊒
    5     N \doteq ≐
    5     N \propto ∝
    5-14  L \cdot ⋅
    6     L @@
    7     N <:
    7     N :>
    8     N \
    8     L \cap \intersect ∩
    8     L \cup \union ∪
    9     N .. ‥
    9     N ... …
    9-13  N !! ‼
    9-13  L ##
    9-13  L $
    9-13  L $$
    9-13  L ?? ⁇
    9-13  L \sqcap ⊓
    9-13  L \sqcup ⊔
    9-13  L \uplus ⊎
    9-14  N \wr ≀
    10    L +
    10    L ++
    10    L \oplus (+) ⊕
    10-11 N %
    10-11 L %%
    10-11 L |
    10-11 L || ‖
    10-13 L \X \times ×
    11    L -
    11    L --
    11    L \ominus (-) ⊖
    13    L *
    13    L **
    13    N /
    13    N //
    13    L &
    13    L &&
    13    L \o \circ ∘
    13    L \bigcirc ◯
    13    L \bullet ●
    13    N \div ÷
    13    L \odot (.) ⊙
    13    N \oslash (/) ⊘
    13    L \otimes (\X) ⊗
    13    L \star ⋆
    14    N ^
    14    N ^^
    """,
)

POSTFIX_OPERATORS = _operators(
    "postfix",
    r"""
    15 N '
    15 N ^+ ⁺
    15 N ^*
    15 N ^#
    """,
)

# Function application and record fields bind tighter than every operator and never conflict.
APPLICATION_PRECEDENCE = 16

PREFIX = {op.name: op for op in PREFIX_OPERATORS}
INFIX = {op.name: op for op in INFIX_OPERATORS}
POSTFIX = {op.name: op for op in POSTFIX_OPERATORS}
ALL_OPERATORS = [*PREFIX_OPERATORS, *INFIX_OPERATORS, *POSTFIX_OPERATORS]
OPERATORS = {op.name: op for op in ALL_OPERATORS}

# The prefix minus is written `-` when applied and `-.` when named.
NEGATION = "-."

# Every spelling -> the operator's name.
SPELLING_TO_NAME = {
    spelling: op.name
    for op in ALL_OPERATORS
    for spelling in (*op.spellings, *((op.unicode, *op.more_unicode) if op.unicode else ()))
}
