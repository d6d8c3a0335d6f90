---- MODULE Json ----
\* Values as JSON text and files; evaluators supply the operators.
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences
LOCAL INSTANCE FiniteSets
LOCAL INSTANCE TLC

\* The text of the elements F[d], d in D, comma separated, closed by a bracket.
RECURSIVE ToJsonArrayString(_, _)
ToJsonArrayString(F, D) ==
    LET d == CHOOSE d \in D : TRUE
        opening == IF D = DOMAIN F THEN "[" ELSE ","
    IN IF D = {} THEN "]" ELSE opening \o ToString(F[d]) \o ToJsonArrayString(F, D \ {d})

\* The text of the members d: F[d], d in D, comma separated, closed by a brace.
RECURSIVE ToJsonObjectString(_, _)
ToJsonObjectString(F, D) ==
    LET d == CHOOSE d \in D : TRUE
        opening == IF D = DOMAIN F THEN "{" ELSE ","
        member == ToString(ToString(d)) \o ":" \o ToString(F[d])
    IN IF D = {} THEN "}" ELSE opening \o member \o ToJsonObjectString(F, D \ {d})

\* An array for a sequence, an object for another function.
RECURSIVE ToJsonString(_, _)
ToJsonString(F, D) ==
    IF D = 1..Cardinality(D) THEN ToJsonArrayString(F, D) ELSE ToJsonObjectString(F, D)

\* value as JSON text.
ToJson(value) == IF DOMAIN value = {} THEN "{}" ELSE ToJsonString(value, DOMAIN value)

\* value as a JSON array.
ToJsonArray(value) == IF DOMAIN value = {} THEN "[]" ELSE ToJsonArrayString(value, DOMAIN value)

\* value as a JSON object.
ToJsonObject(value) == IF DOMAIN value = {} THEN "{}" ELSE ToJsonObjectString(value, DOMAIN value)

\* TRUE; the tool writes value to the file as JSON.
JsonSerialize(absoluteFilename, value) == TRUE

\* The value of the JSON in the file.
JsonDeserialize(absoluteFilename) == CHOOSE v : TRUE

\* TRUE; the tool writes the elements of value to the file, one JSON text a line.
ndJsonSerialize(absoluteFilename, value) == TRUE

\* The sequence of the values on the lines of the file.
ndJsonDeserialize(absoluteFilename) == CHOOSE v : TRUE
====
