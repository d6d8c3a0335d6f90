"""Operators that read and write files, run programs, and print."""

from pathlib import Path

import pytest
from evaluating import MODULES, value

from gristmill.evaluate import Context
from gristmill.library.permissions import permissions
from gristmill.values import TRUE, EvaluationError, Value, make_record

WITH = f"{MODULES}, Json, CSV, IOUtils, TLCExt"


@pytest.fixture(autouse=True)
def working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(expression: str, context: Context | None = None) -> Value:
    return value(expression, modules=WITH, context=context)


def test_json_there_and_back(tmp_path: Path) -> None:
    file = tmp_path / "new" / "a.json"
    assert run(f'JsonSerialize("{file}", [a |-> <<1, TRUE>>, b |-> {{2}}])') is TRUE
    assert file.read_text() == '{"a":[1,true],"b":[2]}'
    assert run(f'JsonDeserialize("{file}") = [a |-> <<1, TRUE>>, b |-> <<2>>]') is TRUE


def test_lines_of_json(tmp_path: Path) -> None:
    file = tmp_path / "a.ndjson"
    assert run(f'ndJsonSerialize("{file}", <<[n |-> 1], "x">>)') is TRUE
    assert file.read_text() == '{"n":1}\n"x"\n'
    assert run(f'ndJsonDeserialize("{file}") = <<[n |-> 1], "x">>') is TRUE


def test_csv(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    assert run(f'CSVRecords("{file}") = 0') is TRUE
    assert run(f'CSVWrite("%1$s;%2$s;%1$s", <<1, "a">>, "{file}") /\\ CSVRecords("{file}") = 1') is TRUE
    assert file.read_text() == '1;"a";1\n'
    assert run(f'CSVRead(<<"k", "v">>, ";", "{file}")[1].k = "1"') is TRUE


def test_csv_records(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    assert run(f'CSVWriteRecord([a |-> 1, b |-> {{}}], ",", TRUE, "{file}")') is TRUE
    assert file.read_text() in ("a,b\n1,{}\n", "b,a\n{},1\n")


def test_text_files(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    options = '[format |-> "TXT", charset |-> "UTF-8", openOptions |-> <<"WRITE", "CREATE", "TRUNCATE_EXISTING">>]'
    assert run(f'Serialize("hello", "{file}", {options}).exitValue = 0') is TRUE
    assert file.read_text() == "hello"
    assert run(f'Deserialize("{file}", [format |-> "TXT", charset |-> "UTF-8"]).stdout = "hello"') is TRUE
    assert run(f'Deserialize("{file}x", [format |-> "TXT", charset |-> "UTF-8"]).exitValue = 1') is TRUE


def test_values_there_and_back(tmp_path: Path) -> None:
    file = tmp_path / "a.bin"
    assert (
        run(f'IOSerialize({{<<1, "a">>}}, "{file}", TRUE) /\\ IODeserialize("{file}", TRUE) = {{<<1, "a">>}}') is TRUE
    )


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(EvaluationError) as caught:
        run('JsonDeserialize("nowhere/at/all.json")')
    assert caught.value.id == "file-error"


def test_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRISTMILL_TEST", "yes")
    assert run("IOEnv.GRISTMILL_TEST", Context(permissions=permissions(env=["GRISTMILL_TEST"]))) == "yes"


def test_programs_run_only_if_allowed() -> None:
    with pytest.raises(EvaluationError) as caught:
        run('IOExec(<<"echo", "hi">>)')
    assert caught.value.id == "execution-not-allowed"
    allowed = Context((), permissions=permissions(execute=True))
    assert run('IOExec(<<"echo", "hi">>)', allowed) == make_record({"exitValue": 0, "stdout": "hi\n", "stderr": ""})
    assert run('IOEnvExecTemplate([A |-> "b"], <<"sh", "-c", "echo $A %1$s">>, <<"c">>).stdout', allowed) == "b c\n"


def test_requests_and_statistics_go_to_the_context() -> None:
    asked: list[tuple[str, Value]] = []
    context = Context((), statistic=lambda name: len(name), request=lambda name, value: asked.append((name, value)))
    assert run('TLCGet("level")', context) == 5
    assert run('TLCSet("exit", TRUE)', context) is TRUE
    assert asked == [("exit", TRUE)]


def test_the_trace_comes_from_the_context() -> None:
    context = Context(("x",), trace=lambda: [(1,), (2,)])
    assert run("Trace", context) == (make_record({"x": 1}), make_record({"x": 2}))


@pytest.mark.parametrize("compressed", ["TRUE", "FALSE"])
@pytest.mark.parametrize("data", [b"\xac\xed\x00\x05w\x04", b"\x1f\x8b\x08\x00", b"", b"x\x9c\x00", b"\xff\xfe", b"[1"])
def test_what_is_no_value_is_refused(tmp_path: Path, data: bytes, compressed: str) -> None:
    """Such as what TLC writes: objects of Java."""
    (tmp_path / "a.bin").write_bytes(data)
    ours = f'IODeserialize("a.bin", {compressed})'
    for expression in (ours, 'JsonDeserialize("a.bin")', 'ndJsonDeserialize("a.bin")'):
        if data or "nd" not in expression:
            with pytest.raises(EvaluationError) as caught:
                run(expression)
            assert caught.value.id == "file-error"


def test_files_of_tlc_are_said_not_to_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.vos").write_bytes(b"\x07\x00\x00\x00\x00\x01")
    with pytest.raises(EvaluationError, match="files that TLC has written cannot be read"):
        run('IODeserialize("a.vos", FALSE)')
