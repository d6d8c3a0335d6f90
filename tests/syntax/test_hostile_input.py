"""Input that no person writes: every one ends in a message or a module, soon, and never in a traceback."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gristmill.cli.main import main

HEADER, FOOTER = "---- MODULE Hostile ----\n", "\n====\n"
DEEP, MANY = 100_000, 10_000


def hostile(body: str) -> bytes:
    return (HEADER + body + FOOTER).encode()


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path):  # type: ignore[no-untyped-def]
    """Run `gristmill VERB FILE` in this process: status, standard output, standard error."""

    def run(verb: str, data: bytes, *options: str, name: str = "Hostile.tla") -> tuple[int, str, str]:
        path = tmp_path / name
        path.write_bytes(data)
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["gristmill", verb, *options, name])
        begin = time.process_time()
        with pytest.raises(SystemExit) as ended:
            main()
        assert time.process_time() - begin < 20
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        assert "internal error" not in captured.err
        status = ended.value.code
        assert isinstance(status, int)
        return status, captured.out, captured.err

    return run


BODIES = {
    "parentheses": "x == " + "(" * DEEP + "1" + ")" * DEEP,
    "open parentheses": "x == " + "(" * MANY,
    "closing parentheses": "x == " + ")" * MANY,
    "set braces": "x == " + "{" * MANY,
    "brackets": "x == " + "[" * MANY,
    "tuples": "x == " + "<<" * MANY,
    "chained operators": "x == " + "1 + " * DEEP + "1",
    "chained conflicts": "x == " + "1 = " * MANY + "1",
    "prefix operators": "x == " + "~" * MANY + "x",
    "minus signs": "x == " + "- " * MANY + "x",
    "primes": "x == y" + "'" * MANY,
    "fields": "x == y" + ".z" * MANY,
    "applications": "x == y" + "[1]" * MANY,
    "paths": "x == y" + "!z" * MANY,
    "subscripts": "x == " + "[A]_" * MANY + "v",
    "angle subscripts": "x == " + "<<A>>_" * MANY + "v",
    "towers": "x == " + "(" * 900 + "1" + (")" + "'" * 100) * 900,
    "LET": "x == " + "LET y == 1 IN " * MANY + "y",
    "LET in LET": "x == " + "LET y == " * MANY + "1" + " IN y" * MANY,
    "IF": "x == " + "IF p THEN 1 ELSE " * MANY + "2",
    "CASE": "x == " + "CASE p -> " * MANY + "2",
    "quantifiers": "x == " + "\\A y \\in S : " * MANY + "TRUE",
    "LAMBDA": "x == " + "F(LAMBDA y : " * MANY + "1" + ")" * MANY,
    "labels": "x == " + "a :: " * MANY + "1",
    "junctions": "x == " + "/\\ " * MANY + "1",
    "mixed junctions": "x == " + "/\\ \\/ " * MANY + "1",
    "a stair of junctions": "x ==\n" + "".join(" " * i + "/\\ 1 =\n" for i in range(1500)) + "1",
    "EXCEPT": "x == " + "[f EXCEPT ![1] = " * MANY,
    "comments in comments": "(*" * MANY + "*)" * MANY + "x == 1",
    "open comments": "(*" * MANY,
    "comments": "(**)" * MANY + "x == 1",
    "open strings": 'x == "\n' * MANY,
    "quotes": '"' * (MANY + 1),
    "nested modules": HEADER * MANY,
    "nested modules, closed": HEADER * 1_200 + FOOTER * 1_200,
    "proof steps": "THEOREM x\n" + "".join(f"<{n}>1. x\n" for n in range(MANY)),
    "ASSUME": "THEOREM " + "ASSUME " * MANY + "x",
    "PROOF": "THEOREM x " + "PROOF " * MANY,
    "a long name": "x" * MANY + " == 1",
    "a long number": "x == " + "9" * MANY,
    "a long string": 'x == "' + "y" * MANY + '"',
    "underscores": "x == " + "_" * MANY,
    "digits and underscores": "x == " + "1_" * MANY,
    "WF_": "x == " + "WF_" * MANY,
    "a backslash with letters": "x == \\" + "a" * MANY,
    "dashes": "-" * MANY,
    "definitions on one line": "x == 1 " * MANY,
    "names": "x " * MANY,
    "half definitions": "x(\n" * MANY,
    "tabs": "x == {" + ",".join(["\t1"] * MANY) + "}",
    "control characters": "".join(map(chr, range(32))) * 100,
    "every character": "".join(map(chr, range(0x20, 0x3000))),
}


@pytest.mark.parametrize("what", BODIES)
def test_parse(run, what: str) -> None:  # type: ignore[no-untyped-def]
    status, out, err = run("parse", hostile(BODIES[what]))
    assert status == (1 if "error" in out else 0)
    assert len(err) < 200_000


BYTES = {
    "nothing": (b"", "no-module"),
    "not UTF-8": (hostile("x == 1").replace(b"1", b"\xff\xfe"), "not-utf8"),
    "UTF-16": (hostile("x == 1").decode().encode("utf-16"), "not-utf8"),
    "NUL": (hostile("x == \0 1\0"), "unexpected-character"),
    "only NUL": (b"\0" * 10_000, "no-module"),
    "junk": (bytes(range(256)) * 200, "not-utf8"),
    "a surrogate": (b"---- MODULE Hostile ----\nx == \xed\xa0\x80\n====\n", "not-utf8"),
    "an unclosed comment": (hostile("(* x == 1"), "unclosed-comment"),
    "an unclosed string": (hostile('x == "1'), "unclosed-string"),
    "an unclosed module": (HEADER.encode() + b"x == 1\n", "unclosed-module"),
    "another name": (b"---- MODULE Other ----\n====\n", "module-name-mismatch"),
    "EXTENDS itself": (hostile("x == 1").replace(b"----\nx", b"----\nEXTENDS Hostile\nx"), "module-cycle"),
    "an INSTANCE of itself": (hostile("I == INSTANCE Hostile"), "module-cycle"),
}


@pytest.mark.parametrize("what", BYTES)
def test_bytes(run, what: str) -> None:  # type: ignore[no-untyped-def]
    data, id = BYTES[what]
    status, _, err = run("parse", data)
    assert status == 1
    assert f"error[{id}]" in err
    status, out, _ = run("parse", data, "--format", "json")
    assert status == 1
    assert id in [diagnostic["id"] for diagnostic in json.loads(out)[0]["diagnostics"]]


@pytest.mark.parametrize("what", ["chained operators", "a stair of junctions", "comments", "tabs", "names", "primes"])
def test_fmt(run, what: str) -> None:  # type: ignore[no-untyped-def]
    status, _, _ = run("fmt", hostile(BODIES[what]), "--unicode", "--check")
    assert status in (0, 1)


def test_as_deep_as_allowed(run) -> None:  # type: ignore[no-untyped-def]
    """What the parser lets through, every later stage can walk."""
    body = "\n".join(
        [
            "EXTENDS Naturals",
            "k(x) == x",
            "a == " + "(" * 900 + "1" + ")" * 900,
            "b == " + "1 + " * 4_900 + "1",
            "c == " + "~" * 4_900 + "TRUE",
            "d == " + "IF TRUE THEN 1 ELSE " * 900 + "2",
            "e == " + "".join(f"LET y{n} == 1 IN " for n in range(900)) + "1",
            "f == " + "{" * 900 + "}" * 900,
            "g == " + "".join(f"\\A y{n} \\in {{}} : " for n in range(900)) + "TRUE",
            "h == " + "<<" * 900 + ">>" * 900 + "[1]" * 900,
            "i == " + "/\\ " * 900 + "TRUE",
            "j == " + "k(" * 900 + "1" + ")" * 900,
        ]
    )
    status, out, err = run("parse", hostile(body))
    assert (status, err) == (0, ""), out
    for spelling in ("--unicode", "--ascii"):
        assert run("fmt", hostile(body), spelling, "--stdout")[0] == 0


def test_line_ends_and_byte_order_mark(run) -> None:  # type: ignore[no-untyped-def]
    plain = hostile("x == /\\ TRUE\n     /\\ FALSE")
    for data in (plain, plain.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + plain):
        status, out, err = run("parse", data)
        assert (status, err) == (0, "")
        assert "1 definition" in out


def test_fmt_keeps_line_ends(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    data = hostile("x == /\\ TRUE\n     /\\ FALSE").replace(b"\n", b"\r\n")
    assert run("fmt", data, "--unicode")[0] == 0
    written = (tmp_path / "Hostile.tla").read_bytes()
    assert written == data.replace(b"==", "≜".encode(), 1).replace(b"/\\", "∧".encode()).replace(b"     ", b"    ")


def test_a_line_of_fifty_megabytes(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    status, _, err = run("parse", b"x" * 50_000_000)
    assert status == 1
    assert "error[file-too-large]" in err
    (tmp_path / "Hostile.tla").unlink()


def test_lines_of_some_megabytes(run) -> None:  # type: ignore[no-untyped-def]
    assert run("parse", hostile("x" * 8_000_000 + " == 1"))[0] == 0
    assert run("parse", hostile("x == 1 \\* " + "y" * 8_000_000))[0] == 0
    assert run("parse", b"-" * 8_000_000)[0] == 1
    status, _, err = run("parse", hostile("x == )" + " y" * 500_000))
    assert status == 1
    assert max(map(len, err.splitlines())) < 200


@pytest.mark.parametrize(
    ("name", "id"),
    [("missing.tla", "file-not-found"), (".", "file-not-readable"), ("x\0y.tla", "file-not-readable")],
)
@pytest.mark.parametrize("verb", ["parse", "fmt"])
def test_files_that_cannot_be_read(
    verb: str, name: str, id: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    options = ["--unicode"] if verb == "fmt" else []
    monkeypatch.setattr(sys, "argv", ["gristmill", verb, *options, name])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    assert f"error[{id}]" in capsys.readouterr().err


def test_in_a_process_of_its_own(tmp_path: Path) -> None:
    """Once for real: the limits of the interpreter and of the stack are those of a fresh process."""
    path = tmp_path / "Hostile.tla"
    path.write_bytes(hostile("x == " + "(" * DEEP + "\ny == " + "1 + " * DEEP + "1\nz == \xff\0"))
    command = [sys.executable, "-m", "gristmill.cli", "parse", str(path)]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}  # a terminal that knows no Unicode
    ended = subprocess.run(command, capture_output=True, timeout=60, env=environment, check=False)
    assert ended.returncode == 1
    assert b"Traceback" not in ended.stderr
    assert b"internal error" not in ended.stderr
    for id in (b"too-deeply-nested", b"too-long-chain", b"unexpected-character"):
        assert b"error[" + id + b"]" in ended.stderr
