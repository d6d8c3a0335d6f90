---- MODULE TLAPS ----
\* Names that proofs use to choose a prover or a proof method. As formulas they say nothing; an argument X is
\* a time limit in seconds, or for the ...M... names a proof method.

\* Provers for arithmetic and first-order logic with theories.
SimpleArithmetic == TRUE
SMT == TRUE
SMTT(X) == TRUE
CVC3 == TRUE
CVC3T(X) == TRUE
CVC4 == TRUE
CVC4T(X) == TRUE
Yices == TRUE
YicesT(X) == TRUE
veriT == TRUE
veriTT(X) == TRUE
Z3 == TRUE
Z3T(X) == TRUE
Spass == TRUE
SpassT(X) == TRUE
Zipper == TRUE
ZipperT(X) == TRUE

\* Provers for temporal logic.
LS4 == TRUE
LS4T(X) == TRUE
PTL == TRUE

\* The tableau prover, with longer and longer time limits.
Zenon == TRUE
ZenonT(X) == TRUE
SlowZenon == TRUE
SlowerZenon == TRUE
VerySlowZenon == TRUE
SlowestZenon == TRUE

\* The Isabelle prover: time limit, method, both.
Isa == TRUE
IsaT(X) == TRUE
IsaM(X) == TRUE
IsaMT(X, Y) == TRUE
IsaWithSetExtensionality == TRUE

\* Isabelle's methods, with longer and longer time limits.
Auto == TRUE
SlowAuto == TRUE
SlowerAuto == TRUE
SlowestAuto == TRUE
Force == TRUE
SlowForce == TRUE
SlowerForce == TRUE
SlowestForce == TRUE
SimplifyAndSolve == TRUE
SlowSimplifyAndSolve == TRUE
SlowerSimplifyAndSolve == TRUE
SlowestSimplifyAndSolve == TRUE
Simplification == TRUE
SlowSimplification == TRUE
SlowerSimplification == TRUE
SlowestSimplification == TRUE
Blast == TRUE
SlowBlast == TRUE
SlowerBlast == TRUE
SlowestBlast == TRUE
AutoBlast == TRUE

\* Several provers one after the other.
AllProvers == TRUE
AllProversT(X) == TRUE
AllSMT == TRUE
AllSMTT(X) == TRUE
AllIsa == TRUE
AllIsaT(X) == TRUE

\* The treatment of ENABLED and of action composition.
ExpandENABLED == TRUE
ExpandCdot == TRUE
AutoUSE == TRUE
Lambdify == TRUE
ENABLEDaxioms == TRUE
LevelComparison == TRUE
EnabledWrapper(Op(_)) == FALSE
CdotWrapper(Op(_)) == FALSE

\* The prover for what is trivial.
Trivial == TRUE

\* Sets with the same elements are equal.
THEOREM SetExtensionality == \A A, B : (\A e : e \in A <=> e \in B) => A = B

\* There is no set of everything.
THEOREM NoSetContainsEverything == \A A : \E e : e \notin A
====
