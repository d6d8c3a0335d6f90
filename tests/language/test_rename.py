"""Another name everywhere, or a reason why not."""

import pytest
from test_navigation import marked

from gristmill.language.rename import NotRenamed, applied, rename


def renamed(asked, new_name: str) -> dict[str, str]:
    """The new texts, by the names of their files."""
    edits = rename(asked.workspace, asked.analysis, asked.offset, new_name)
    return {path.rsplit("/", 1)[1]: applied(asked.workspace.files.find(path).text, own) for path, own in edits.items()}


def test_across_modules_and_configurations(written, tmp_path) -> None:
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nINVARIANTS Inv\nCONSTANT N = 3 \\* Inv\n")
    asked = written(
        M="EXTENDS Base\nInit == x = N\nNext == x' = x /\\ Inv",
        Base="CONSTANT N\nVARIABLE x\n‸Inv == x = N \\* Inv is no name here\n",
    )
    found = renamed(asked, "Safe")
    assert found["M.cfg"] == "INIT Init\nNEXT Next\nINVARIANTS Safe\nCONSTANT N = 3 \\* Inv\n"
    assert "x' = x /\\ Safe" in found["M.tla"]
    assert "Safe == x = N \\* Inv is no name here" in found["Base.tla"]


def test_through_instances_with_substitutions(written) -> None:
    asked = written(
        M="VARIABLE y\nB == INSTANCE Base WITH x <- y\nNext == B!A",
        Base="VARIABLE ‸x\nA == x' = x",
    )
    found = renamed(asked, "value")
    assert "INSTANCE Base WITH value <- y" in found["M.tla"]
    assert "A == value' = value" in found["Base.tla"]


def test_a_bound_name_stays_local(written) -> None:
    asked = written(M="x == 1\nF == \\A ‸y \\in {1} : y = x\nG == \\A y \\in {2} : y = x")
    assert "F == \\A z \\in {1} : z = x\nG == \\A y" in renamed(asked, "z")["M.tla"]


def test_in_an_algorithm_with_its_translation(written, tmp_path) -> None:
    from gristmill.pluscal import translate, translation_state
    from gristmill.source import SourceFile

    text = "---- MODULE M ----\nEXTENDS Naturals\n(* --algorithm A\nvariables count = 0;\nbegin\n"
    text += "Raise: count := count + 1;\nend algorithm; *)\nInv == count < 2\n====\n"
    whole = translate(SourceFile("M.tla", text)).text
    at = whole.index("count")
    asked = written(M=whole[:at] + "‸" + whole[at:])
    found = renamed(asked, "total")["M.tla"]
    assert "count" not in found
    assert "Inv == total < 2" in found
    assert translation_state(SourceFile("M.tla", found)) == "fresh"


@pytest.mark.parametrize(
    ("text", "name", "reason"),
    [
        ("x == 1\n‸F == x", "x", "error"),
        ("x == 1\nF == \\A ‸y \\in {1} : y = x", "x", "error"),
        ("‸F == 1", "LET", "word of the language"),
        ("‸F == 1", "1+", "not a name"),
        ("‸F == 1", "WF_x", "not a name"),
        ("EXTENDS Naturals\nF == ‸Nat", "Numbers", "library"),
        ("F == ‸TRUE", "Yes", "part of the language"),
        ("EXTENDS Naturals\nF == 1 ‸+ 2", "Plus", "symbol"),
        ("F == 1 ‸", "G", "no name here"),
        ("THEOREM T == TRUE\n<1>1. TRUE OBVIOUS\n<1>2. QED BY ‸<1>1", "x", "keep their names"),
        ("F == 1\nG == ‸F + (", "x", "does not parse"),
    ],
)
def test_refused(written, text, name, reason) -> None:
    asked = written(M=text)
    with pytest.raises(NotRenamed, match=reason):
        rename(asked.workspace, asked.analysis, asked.offset, name)


def test_refused_where_an_instance_would_miss_what_it_puts_for_it(written) -> None:
    """`x` is substituted by its name, and is declared where nobody mentions it."""
    asked = written(M="EXTENDS Variables\nB == INSTANCE Base", Variables="VARIABLE x", Base="VARIABLE ‸x\nA == x' = x")
    with pytest.raises(NotRenamed, match="there would be an error"):
        rename(asked.workspace, asked.analysis, asked.offset, "value")


def test_refused_where_the_module_is_named(written) -> None:
    asked = written(M="EXTENDS ‸Base", Base="A == 1")
    with pytest.raises(NotRenamed, match="rename the file"):
        rename(asked.workspace, asked.analysis, asked.offset, "Other")


@pytest.mark.parametrize(
    ("what", "name", "count"),
    [
        ("count = 0", "total", 7),
        ("Start:", "Begin", 2),
        ("mine = 0", "own", 4),
        ("Twice(n)", "Double", 2),
        ("raise(by)", "lift", 2),
        ("Small ==", "Little", 2),
        ("by)", "amount", 2),
        ("count >= 0", "mine", "error"),
        ("Again", "Go", "the same name as another label"),
    ],
)
def test_in_an_algorithm_without_a_translation(written, what: str, name: str, count: int | str) -> None:
    asked = written(M=marked(what).replace("EXTENDS Naturals", "EXTENDS Naturals, Sequences"))
    offset = asked.analysis.text.index(what)
    if isinstance(count, str):
        with pytest.raises(NotRenamed, match=count):
            rename(asked.workspace, asked.analysis, offset, name)
    else:
        (edits,) = rename(asked.workspace, asked.analysis, offset, name).values()
        assert len(edits) == count
