---- MODULE Option ----
\* Values that may be absent.
EXTENDS Apalache, Variants

\* A value that is present.
Some(x) == Variant("Some", x)

\* No value.
None == Variant("None", UNIT)

\* Whether the value is present, or absent.
IsSome(o) == VariantTag(o) = "Some"
IsNone(o) == VariantTag(o) = "None"

\* caseSome of the value, or caseNone if it is absent.
OptionCase(o, caseSome(_), caseNone(_)) ==
    IF IsSome(o) THEN caseSome(VariantGetUnsafe("Some", o)) ELSE caseNone(UNIT)

\* f of the value as a value that may be absent; f itself may say so with the second.
OptionMap(f(_), o) == OptionCase(o, LAMBDA x : Some(f(x)), LAMBDA u : None)
OptionFlatMap(f(_), o) == OptionCase(o, f, LAMBDA u : None)

\* The value, or a default.
OptionGetOrElse(o, default) == OptionCase(o, LAMBDA x : x, LAMBDA u : default)

\* The sequence and the set of the value, empty if it is absent.
OptionToSeq(o) == OptionCase(o, LAMBDA x : <<x>>, LAMBDA u : << >>)
OptionToSet(o) == OptionCase(o, LAMBDA x : {x}, LAMBDA u : {})

\* Some element of the set, absent if it is empty.
OptionGuess(s) == IF s = {} THEN None ELSE Some(CHOOSE x \in s : TRUE)

\* The function applied to the value.
OptionFunApp(f, o) == OptionMap(LAMBDA x : f[x], o)

\* The function on more arguments, absent at those in undefined.
OptionPartialFun(f, undefined) ==
    [x \in DOMAIN f \cup undefined |-> IF x \in undefined THEN None ELSE Some(f[x])]
====
