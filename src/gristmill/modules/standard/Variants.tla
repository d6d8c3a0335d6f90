---- MODULE Variants ----
\* Tagged values: functions on a single tag.

\* A value for tags that carry none.
UNIT == "U_OF_UNIT"

\* The value with its tag.
Variant(__tagName, __value) == [__tag \in {__tagName} |-> __value]

\* The tag of a tagged value.
VariantTag(__variant) == CHOOSE __tag \in DOMAIN __variant : TRUE

\* The values in __S that have the tag.
VariantFilter(__tagName, __S) == {__v[__tagName] : __v \in {__w \in __S : __tagName \in DOMAIN __w}}

\* The value, if it has the tag, or else a default.
VariantGetOrElse(__tagName, __variant, __defaultValue) ==
    IF __tagName \in DOMAIN __variant THEN __variant[__tagName] ELSE __defaultValue

\* The value, which must have the tag.
VariantGetUnsafe(__tagName, __variant) == __variant[__tagName]
====
