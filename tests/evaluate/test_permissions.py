"""What a specification may not do unless somebody allows it, and what it is told then."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from evaluating import MODULES, value

from gristmill import library
from gristmill.evaluate import Context
from gristmill.library.effects import Effect
from gristmill.library.permissions import Permissions, permissions
from gristmill.values import FALSE, TRUE, EvaluationError, Value, make_record

WITH = f"{MODULES}, Json, CSV, IOUtils"
TXT = '[format |-> "TXT", charset |-> "UTF-8", openOptions |-> <<"WRITE", "CREATE", "APPEND">>]'
NDJSON = '[format |-> "NDJSON", charset |-> "UTF-8", openOptions |-> <<"WRITE">>]'
WRITES = {
    "JsonSerialize": 'JsonSerialize("FILE", <<1>>)',
    "ndJsonSerialize": 'ndJsonSerialize("FILE", <<1>>)',
    "IOSerialize": 'IOSerialize(1, "FILE", FALSE)',
    "Serialize": f'Serialize("x", "FILE", {TXT}).exitValue = 0',
    "Serialize of lines": f'Serialize(<<1>>, "FILE", {NDJSON}).exitValue = 0',
    "CSVWrite": 'CSVWrite("%1$s", <<1>>, "FILE")',
    "CSVWriteRecord": 'CSVWriteRecord([a |-> 1], ",", TRUE, "FILE")',
}
READS = {
    "JsonDeserialize": 'JsonDeserialize("FILE") = <<1>>',
    "ndJsonDeserialize": 'ndJsonDeserialize("FILE") = <<<<1>>>>',
    "IODeserialize": 'IODeserialize("FILE", FALSE) = <<1>>',
    "Deserialize": 'Deserialize("FILE", [format |-> "TXT", charset |-> "UTF-8"]).stdout = "[1]"',
    "CSVRead": 'CSVRead(<<"a">>, ",", "FILE") = <<[a |-> "[1]"]>>',
    "CSVRecords": 'CSVRecords("FILE") = 1',
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder; what stands beside it is outside."""
    inside = tmp_path / "inside"
    inside.mkdir()
    monkeypatch.chdir(inside)
    return inside


def run(expression: str, file: str = "", allowed: Permissions | None = None) -> Value:
    context = Context((), permissions=allowed or Permissions())
    return value(expression.replace("FILE", file), modules=WITH, context=context)


def refusal(expression: str, file: str = "", allowed: Permissions | None = None) -> EvaluationError:
    with pytest.raises(EvaluationError) as caught:
        run(expression, file, allowed)
    return caught.value


def outside(folder: Path) -> list[str]:
    """Names of one file that is not in the folder."""
    (folder / "link").symlink_to("..")
    (folder / "linked.json").symlink_to("../outside.json")
    whole = str(folder.parent / "outside.json")
    return ["../outside.json", whole, "link/outside.json", "linked.json", "./a/../../outside.json"]


@pytest.mark.parametrize("operator", WRITES)
def test_writing(folder: Path, operator: str) -> None:
    expression = WRITES[operator]
    assert run(expression, "here.json") is TRUE
    for name in outside(folder):
        error = refusal(expression, name)
        assert error.id == "write-not-allowed"
        assert f"--allow-write {folder.parent}" in error.message
    assert not (folder.parent / "outside.json").exists()
    for allowed in (permissions(write=[folder.parent]), Permissions(folders=(folder.parent,))):
        assert run(expression, "../outside.json", allowed) is TRUE
    assert refusal(expression, "../outside.json", permissions(read=[folder.parent])).id == "write-not-allowed"


@pytest.mark.parametrize("operator", READS)
def test_reading(folder: Path, operator: str) -> None:
    expression = READS[operator]
    for file in (folder / "here.json", folder.parent / "outside.json"):
        file.write_text("[1]")
    assert run(expression, "here.json") is TRUE
    for name in outside(folder):
        error = refusal(expression, name)
        assert error.id == "read-not-allowed"
        assert f"--allow-read {folder.parent}" in error.message
    for allowed in (permissions(write=[folder.parent]), permissions(read=[folder.parent])):
        assert run(expression, "../outside.json", allowed) is TRUE


def test_every_operator_with_a_file_is_in_these_tables() -> None:
    """A new one must be added here, or it might forget to ask."""
    source = Path(library.__file__).with_name("files.py").read_text()
    asking = set(re.findall(r'(?:_reading|_writing|_lines)\(context, path, "(\w+)"', source))
    asking |= set(re.findall(r'path_to_\w+\(string\(path, "(\w+)"\)', source))
    assert asking == {name.split()[0] for name in (*WRITES, *READS)}
    files = Effect.READS_FILES | Effect.READS_WRITTEN_FILES | Effect.WRITES_FILES
    assert asking == {operator.name for operator in library.OPERATORS.values() if operator.effects & files}


def test_hidden_files_are_for_others(folder: Path) -> None:
    for name in (".bashrc", ".git/hooks/post-commit", "a/.envrc"):
        assert refusal(WRITES["Serialize"], name).id == "write-not-allowed"
        assert refusal(READS["CSVRecords"], name).id == "read-not-allowed"
    assert run(WRITES["Serialize"], ".settings", permissions(write=[folder])) is TRUE


def test_a_folder_with_a_similar_name_is_another(folder: Path) -> None:
    (folder.parent / "inside-too").mkdir()
    assert refusal(WRITES["CSVWrite"], "../inside-too/a.csv").id == "write-not-allowed"


# -------------------------------------------------------------------------------------------------------- environment


@pytest.fixture
def variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOWN", "yes")
    monkeypatch.setenv("SECRET", "hidden")
    monkeypatch.delenv("UNSET", raising=False)


SHOWN = permissions(env=["SHOWN", "UNSET"])


@pytest.mark.usefixtures("variables")
def test_a_variable_that_is_allowed() -> None:
    assert run("IOEnv.SHOWN", allowed=SHOWN) == "yes"
    assert run('IOEnv["SHOWN"]', allowed=SHOWN) == "yes"
    assert run('"SHOWN" \\in DOMAIN IOEnv', allowed=SHOWN) is TRUE
    assert run("IOEnv", allowed=SHOWN) == make_record({"SHOWN": "yes"})
    assert run("IOEnv.SECRET", allowed=permissions(env=["*"])) == "hidden"


@pytest.mark.usefixtures("variables")
@pytest.mark.parametrize(
    "expression",
    ["IOEnv.SECRET", 'IOEnv["SECRET"]', 'IF "SECRET" \\in DOMAIN IOEnv THEN 1 ELSE 2', '"SECRET" \\notin DOMAIN IOEnv'],
)
def test_a_variable_that_is_set_but_not_allowed_is_not_one_that_is_not_set(expression: str) -> None:
    for allowed in (Permissions(), SHOWN):
        error = refusal(expression, allowed=allowed)
        assert error.id == "variable-not-allowed"
        assert "--env SECRET" in error.message
        assert "hidden" not in error.message


@pytest.mark.usefixtures("variables")
def test_a_variable_that_is_not_set() -> None:
    assert run('"UNSET" \\in DOMAIN IOEnv') is FALSE
    assert run('IF "UNSET" \\in DOMAIN IOEnv THEN 1 ELSE 2') == 2
    assert refusal("IOEnv.UNSET").id == "no-such-variable"


@pytest.mark.usefixtures("variables")
def test_the_whole_environment_takes_a_word_of_what_it_is() -> None:
    for expression in ("IOEnv", "\\A each \\in DOMAIN IOEnv : each \\in STRING", "LET env == IOEnv IN env.SHOWN"):
        error = refusal(expression)
        assert error.id == "environment-not-allowed"
        assert "--env NAME" in error.message
    assert run("LET env == IOEnv IN env.SHOWN", allowed=SHOWN) == "yes"
