"""Where actions come from: the module that defines them, and what their parameters are chosen from."""

from pathlib import Path

from gristmill.building import build
from gristmill.ir.printer import print_node

ELECTION = """---- MODULE Election ----
VARIABLE leader
Elect(s) == leader = 0 /\\ leader' = s
===="""
WHOLE = """---- MODULE Whole ----
EXTENDS Election, Naturals
VARIABLE entries
Server == 1..3
Init == leader = 0 /\\ entries = 0
Write(s, n) == leader = s /\\ entries' = entries + n /\\ UNCHANGED leader
Reset == leader' = 0 /\\ UNCHANGED entries
Next == \\/ \\E s \\in Server : Elect(s)
        \\/ \\E s \\in Server, k \\in {1, 2} : Write(s, k)
        \\/ Reset
===="""


def test_module_and_domains(tmp_path: Path) -> None:
    for text in (ELECTION, WHOLE):
        (tmp_path / f"{text.split()[2]}.tla").write_text(text)
    model = build(tmp_path / "Whole.tla", config="INIT Init\nNEXT Next").model
    with model.world.active():
        found = {
            action.name: (
                action.module,
                [name for name, _ in action.parameters],
                [None if each is None else print_node(each) for each in action.domains],
            )
            for action in model.actions
        }
    assert found["Reset"] == ("Whole", [], [])
    modules = {name: module for name, (module, _, _) in found.items()}
    assert modules == {"Elect": "Election", "Write": "Whole", "Reset": "Whole"}
    assert found["Elect"][1:] == (["s"], ["Server"])
    assert found["Write"][1:] == (["s", "n"], ["Server", "{1, 2}"])
