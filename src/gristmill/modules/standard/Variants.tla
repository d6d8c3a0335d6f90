---- MODULE Variants ----
\* Tagged values: functions on a single tag.

\* A value for tags that carry none.
UNIT == "U_OF_UNIT"

\* The value with its tag.
Variant(tagName, value) == [tag \in {tagName} |-> value]

\* The tag of a tagged value.
VariantTag(variant) == CHOOSE tag \in DOMAIN variant : TRUE

\* The values in S that have the tag.
VariantFilter(tagName, S) == {v[tagName] : v \in {w \in S : tagName \in DOMAIN w}}

\* The value, if it has the tag, or else a default.
VariantGetOrElse(tagName, variant, defaultValue) ==
    IF tagName \in DOMAIN variant THEN variant[tagName] ELSE defaultValue

\* The value, which must have the tag.
VariantGetUnsafe(tagName, variant) == variant[tagName]
====
