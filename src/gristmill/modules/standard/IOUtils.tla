---- MODULE IOUtils ----
\* Files, processes and the environment; evaluators supply the operators.
LOCAL INSTANCE TLC
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences

\* What a process leaves behind.
LOCAL Outcome == [exitValue : Int, stdout : STRING, stderr : STRING]

\* TRUE; the tool writes val to the file in its own format.
IOSerialize(val, absoluteFilename, compress) == TRUE

\* The value that was written to the file so.
IODeserialize(absoluteFilename, compressed) == CHOOSE v : TRUE

\* The outcome of writing value to dest; options say in which format and how.
Serialize(value, dest, options) == CHOOSE r \in Outcome : TRUE

\* The value read from src.
Deserialize(src, options) == CHOOSE v : TRUE

\* The outcome of running command, a sequence of a program and its arguments.
IOExec(command) == CHOOSE r \in Outcome : TRUE

\* The same with the variables env added to the environment.
IOEnvExec(env, command) == CHOOSE r \in Outcome : TRUE

\* The same with the marks in the arguments replaced by the parameters.
IOExecTemplate(commandTemplate, parameters) == CHOOSE r \in Outcome : TRUE
IOEnvExecTemplate(env, commandTemplate, parameters) == CHOOSE r \in Outcome : TRUE

\* The environment, a record of strings.
IOEnv == CHOOSE env \in [STRING -> STRING] : TRUE

\* The integer that str denotes.
atoi(str) == CHOOSE n \in Int : str = ToString(n)

\* The text of n with zeros in front up to the given width.
zeroPadN(n, width) ==
    LET digits == ToString(n)
        missing == width - Len(digits)
        zeros[k \in Nat] == IF k = 0 THEN "" ELSE "0" \o zeros[k - 1]
    IN IF missing > 0 THEN zeros[missing] \o digits ELSE digits
====
