"""`gristmill tlc -h`."""

HELP = """\
gristmill tlc [options] SPEC

TLC's command line, messages and exit codes, with Gristmill's engine: for scripts and tools that call
`java -cp tla2tools.jar tlc2.TLC`. SPEC is a module, with or without `.tla`.

What to check
  -config FILE              the configuration; by default SPEC.cfg
  -deadlock                 do not check for deadlock
  -inv EXPR                 an expression as one more invariant
  -invlevel N               stop at the first behaviour of N states
  -postCondition MOD!OP     must hold at the end
  -loadTrace json FILE      only the states of a trace
  -lncheck WHEN             `off`: no temporal properties; all else is the default

How
  -workers N|auto           threads of the native engine
  -dfid N                   states up to depth N (breadth first)
  -simulate [num=N,file=F]  random behaviours; -generate: checking only the states taken
  -depth N  -seed N  -aril N    of random behaviours: length, seed, how many to skip
  -continue                 go on after a violation
  -checkpoint MIN  -metadir DIR  -recover DIR    save the search, and go on from there

What to print and write
  -tool                     messages between marks with their numbers
  -difftrace                only what changes from state to state
  -coverage MIN             how often actions were taken
  -dump [dot,colorize,actionlabels] FILE         all states
  -dumpTrace json|tla|tlcplain|tlcaction|dot FILE    the counterexample
  -generateSpecTE  -noGenerateSpecTE  -teSpecOutDir DIR    the counterexample as a specification
  -userFile FILE            what Print and PrintT print
  -nowarning  -suppressMessages CODES  -messagesAsErrors CODES

Not of TLC: --allow-read DIR, --allow-write DIR, --env NAME, --allow-exec: what the specification may do outside of its
folder. Accepted without effect, with a line that says why: -fp -fpbits -fpmem -maxSetSize -gzip -cleanup -view -terse
-debug -debugger.

Exit status: 0 no error, 10 an assumption is false, 11 deadlock, 12 an invariant, 13 a property, 14 an assertion is
violated, 75 76 77 evaluation failed, 150 the specification has errors, 151 the configuration has, 255 other errors,
1 a wrong command line; and 3, which TLC does not have: the search was interrupted.
"""
