"""Java programs: threads held, fields read and set. A client of the Java Debug Wire Protocol, and the driver on it.

From below to above:

- `wire`, `protocol`, `connection`, `tasks`: packets, numbers of commands, one connection, many questions at once.
- `classfile`, `pool`, `bytecode`: what a class file, or a running machine, tells of a class.
- `classes`, `objects`, `threads`, `containers`: what is in a running machine.
- `points`, `locate`, `classpath`: the language of places, and where they are in bytecode.
- `paths`, `reading`, `setting`: the language of values, reading and setting them.
- `events`, `machine`: a machine as a whole, with the threads that it has stopped.
- `node`, `driver`: the nodes of a system, and the driver of `gristmill replay`.
"""
