---- MODULE Option ----
\* Values that may be absent.
EXTENDS Apalache, Variants

\* A value that is present.
Some(__x) == Variant("Some", __x)

\* No value.
None == Variant("None", UNIT)

\* Whether the value is present, or absent.
IsSome(__o) == VariantTag(__o) = "Some"
IsNone(__o) == VariantTag(__o) = "None"

\* __caseSome of the value, or __caseNone if it is absent.
OptionCase(__o, __caseSome(_), __caseNone(_)) ==
    IF IsSome(__o) THEN __caseSome(VariantGetUnsafe("Some", __o)) ELSE __caseNone(UNIT)

\* __f of the value as a value that may be absent; __f itself may say so with the second.
OptionMap(__f(_), __o) == OptionCase(__o, LAMBDA __x : Some(__f(__x)), LAMBDA __u : None)
OptionFlatMap(__f(_), __o) == OptionCase(__o, __f, LAMBDA __u : None)

\* The value, or a default.
OptionGetOrElse(__o, __default) == OptionCase(__o, LAMBDA __x : __x, LAMBDA __u : __default)

\* The sequence and the set of the value, empty if it is absent.
OptionToSeq(__o) == OptionCase(__o, LAMBDA __x : <<__x>>, LAMBDA __u : << >>)
OptionToSet(__o) == OptionCase(__o, LAMBDA __x : {__x}, LAMBDA __u : {})

\* Some element of the set, absent if it is empty.
OptionGuess(__s) == IF __s = {} THEN None ELSE Some(CHOOSE __x \in __s : TRUE)

\* The function applied to the value.
OptionFunApp(__f, __o) == OptionMap(LAMBDA __x : __f[__x], __o)

\* The function on more arguments, absent at those in __undefined.
OptionPartialFun(__f, __undefined) ==
    [__x \in DOMAIN __f \cup __undefined |-> IF __x \in __undefined THEN None ELSE Some(__f[__x])]
====
