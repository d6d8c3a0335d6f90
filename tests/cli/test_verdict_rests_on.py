"""Every verdict says what was checked and what was not; an unbounded model says what grows; deadlock has a remedy."""

import json
from pathlib import Path

import pytest

import gristmill

LOCK = r"""EXTENDS Naturals
CONSTANTS Processes, Most
ASSUME Most \in Nat
VARIABLES owner, waiting
vars == <<owner, waiting>>
Init == owner = {} /\ waiting = {}
Other == owner = {} /\ waiting = Processes
Free(p) == p \notin waiting /\ p \notin owner
Ask(p) == Free(p) /\ waiting' = waiting \cup {p} /\ UNCHANGED owner
Take(p) == p \in waiting /\ owner = {} /\ owner' = {p} /\ waiting' = waiting \ {p}
Leave(p) == p \in owner /\ owner' = {} /\ UNCHANGED waiting
Next == \E p \in Processes : Ask(p) \/ Take(p) \/ Leave(p)
Spec == Init /\ [][Next]_vars
Fairness == \A p \in Processes : SF_vars(Take(p))
FairSpec == Spec /\ Fairness
TypeOK == owner \subseteq Processes /\ waiting \subseteq Processes
Mutex == \A p, q \in owner : p = q
Served == \A p \in Processes : p \in waiting ~> p \in owner
Few == waiting = {} \/ Most > 0
Constraint == waiting # Processes
"""
CFG = "SPECIFICATION Spec\nCONSTANTS Processes = {p1, p2} Most = 2\nINVARIANTS TypeOK Mutex\n"


@pytest.fixture
def lock(run, write):
    def check(config: str | None, *options: object):
        if config is not None:
            write("Lock.cfg", config)
        write("Lock.tla", LOCK)
        return run("check", "Lock.tla", *options)

    return check


def test_what_was_checked_and_what_was_not(lock) -> None:
    ended = lock(CFG + "INVARIANT Few\n")
    assert ended.out.splitlines()[:4] == [
        "No error found",
        "Checked: TypeOK, Mutex, Few, deadlock, assumptions.",
        "Not checked: Served (Lock.tla:19), a property in the module that the configuration does not name.",
        "",
    ]


def test_specifications_fairness_helpers_and_constraints_are_no_properties(lock) -> None:
    document = json.loads(lock(CFG, "--format", "json").out)
    assert [(each["name"], each["kind"]) for each in document["not_checked"]] == [
        ("Served", "property"),
        ("Few", "invariant"),
    ]
    assert document["checked"] == ["TypeOK", "Mutex", "deadlock", "assumptions"]


def test_what_another_property_is_made_of_is_not_named_itself(lock) -> None:
    document = json.loads(lock(CFG.replace("TypeOK Mutex", "TypeOK"), "--format", "json").out)
    assert [each["name"] for each in document["not_checked"]] == ["Mutex", "Served", "Few"]
    with_both = LOCK + "Both == Mutex /\\ Few\n"
    text = f"---- MODULE Lock ----\n{with_both}\n====\n"
    result = gristmill.check(text, config=CFG.replace("TypeOK Mutex", "TypeOK"))
    assert [each.name for each in result.unasked] == ["Served", "Both"]


def test_a_violation_tells_it_as_well(lock) -> None:
    ended = lock(CFG + "INVARIANT Constraint\n")
    assert ended.code == 12
    assert "\nChecked until then: TypeOK, Mutex, Constraint, deadlock, assumptions.\n" in ended.out


def test_what_takes_all_states_is_not_claimed_of_some(lock) -> None:
    ended = lock(CFG.replace("Spec", "FairSpec") + "PROPERTY Served\n", "--depth", "2")
    assert (ended.code, "Checked: TypeOK, Mutex, deadlock" in ended.out) == (3, True)
    assert "Not decided: Served, which takes a search of all states." in ended.out


# --- without a configuration ------------------------------------------------------------------------------------


def test_no_configuration_is_said_and_one_is_offered(lock, tmp_path: Path) -> None:
    offer = "note: there is no configuration, Lock.cfg; `gristmill check Lock.tla --init-config` writes one"
    assert offer in lock(None, "--constant", "Processes={p1, p2}", "--constant", "Most=2").err
    assert offer in lock(None).err  # a constant has no value: that, too, is what a configuration is for
    assert "no configuration" not in lock(CFG).err
    (tmp_path / "Lock.cfg").unlink()
    named = ("--constant", "Processes={p1, p2}", "--constant", "Most=2", "--invariant", "Mutex")
    assert "no configuration" not in lock(None, *named).err


def test_the_configuration_that_is_written_can_be_checked(lock, tmp_path: Path) -> None:
    ended = lock(None, "--init-config")
    assert ended.code == 0
    written = (tmp_path / "Lock.cfg").read_text()
    assert written in ended.out
    for line in ("SPECIFICATION Spec", "  Processes = {p1, p2}", "  Most = 2", "  TypeOK", "  Mutex", "  Served"):
        assert line in written.splitlines()
    checked = lock(None)
    assert "Checked: TypeOK, Mutex, Few, Served, deadlock, assumptions." in checked.out
    assert checked.code == 13  # Served needs FairSpec


def test_a_configuration_that_is_there_is_left_alone(lock, tmp_path: Path) -> None:
    ended = lock(CFG, "--init-config")
    assert ended.code == 2
    assert "is there already" in ended.err
    assert (tmp_path / "Lock.cfg").read_text() == CFG


# --- models without a bound, and without a next step --------------------------------------------------------------

LOG = r"""EXTENDS Naturals, Sequences
VARIABLES log, turn
Init == log = <<>> /\ turn = 0
Write == log' = Append(log, turn) /\ UNCHANGED turn
Turn == turn' = (turn + 1) % 3 /\ UNCHANGED log
Next == Write \/ Turn
Fine == turn < 3
"""


@pytest.mark.parametrize("engine", ["python", "native"])
def test_which_variable_grows_and_by_which_action(run, write, engine: str) -> None:
    write("Log.tla", LOG)
    document = json.loads(run("check", "Log.tla", "--depth", "8", "--engine", engine, "--format", "json").out)
    assert document["verdict"] == "incomplete"
    (grows,) = [each for each in document["caveats"] if "grows" in each]
    assert grows.startswith("`log` grows by Write, from 0 to ")
    assert "A CONSTRAINT can bound it." in grows


def test_several_variables_that_grow_are_one_sentence(run, write) -> None:
    write("Log.tla", LOG.replace("% 3", "").replace("turn < 3", "turn < 99"))
    (grows,) = [
        each
        for each in json.loads(run("check", "Log.tla", "--depth", "8", "--format", "json").out)["caveats"]
        if "grows" in each
    ]
    assert "`log` grows by Write" in grows
    assert "`turn` grows by Turn" in grows
    assert grows.endswith("if they have no bound, the search has no end. A CONSTRAINT can bound them.")


def test_what_is_bounded_does_not_grow(run, write) -> None:
    write("Log.tla", LOG.replace("Write ==", "Write == Len(log) < 5 /\\"))
    document = json.loads(run("check", "Log.tla", "--depth", "3", "--format", "json").out)
    assert document["verdict"] == "incomplete"
    assert not any("grows" in each for each in document["caveats"])


def test_a_look_at_what_grows_does_not_hold_up_the_result(run, write) -> None:
    """Here a step from a state that has grown would take for ever: what is known is told all the same."""
    body = "EXTENDS Naturals, FiniteSets\nVARIABLE s\nInit == s = {0}\n"
    body += "Next == s' = s \\cup {Cardinality(s)} /\\ Cardinality({x \\in SUBSET s : x # {}}) > 0\n"
    write("Sets.tla", body)
    ended = run("check", "Sets.tla", "--depth", "6")
    assert ended.code == 3
    assert "6 distinct states" in ended.out


def test_the_limit_that_was_given_is_the_one_that_is_reported(run, write) -> None:
    write("Log.tla", LOG)
    ended = run("check", "Log.tla", "--seconds", "1.5")
    assert ended.out.startswith("Not finished: The time limit of 1.5 s was reached\n")


def test_a_deadlock_points_to_the_remedy(run, write) -> None:
    write("Once.tla", "VARIABLE x\nInit == x = 0\nNext == x = 0 /\\ x' = 1\n")
    ended = run("check", "Once.tla")
    assert ended.code == 11
    assert "If this is where a behaviour is meant to end, nothing is wrong: CHECK_DEADLOCK FALSE" in ended.out
    assert run("check", "Once.tla", "--no-deadlock").code == 0


def test_a_deadlock_by_termination_is_called_that(run, write) -> None:
    body = 'VARIABLE pc\nInit == pc = [p \\in {1, 2} |-> "go"]\n'
    body += 'Next == \\E p \\in {1, 2} : pc[p] = "go" /\\ pc\' = [pc EXCEPT ![p] = "Done"]\n'
    write("Ends.tla", body)
    assert "All processes are done: this is termination, which counts as deadlock." in run("check", "Ends.tla").out
