"""Comments in another encoding than UTF-8 do no harm; anything else in one is refused, with its place."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import gristmill
from gristmill.cli.translate import translate

GBK = "计数器".encode("gbk")
MODULE = b"""---- MODULE M ----
EXTENDS Naturals
(* a block: % (* nested % *) % *)
VARIABLE x   \\* a line: %
Init == x = 0
Next == /\\ x < 3 (* inside % a formula *)
        /\\ x' = x + 1 \\* %
Small == x (* % *) < 2
====
"""
ALGORITHM = b"""---- MODULE M ----
EXTENDS Naturals
(* --algorithm M { \\* %
variable x = 0; (* % *)
{ one: x := 1; \\* %
} } % *)
====
"""


def written(folder: Path, module: bytes, config: bytes = b"INIT Init\nNEXT Next\nINVARIANT Small\n") -> Path:
    (folder / "M.tla").write_bytes(module.replace(b"%", GBK))
    (folder / "M.cfg").write_bytes(config)
    return folder / "M.tla"


def test_bytes_in_comments_are_warned_of(run, tmp_path):
    written(tmp_path, MODULE)
    ended = run("check", "M.tla")
    assert ended.code == 12
    assert ended.err.count("warning[comment-not-utf8]") == 1
    assert "M.tla:3:" in ended.err


@pytest.mark.parametrize("verb", [("parse",), ("check", "--coverage"), ("check",), ("simulate",)])
def test_no_output_breaks_on_them(run, tmp_path, verb):
    written(tmp_path, MODULE)
    ended = run(*verb, "M.tla", "--format", "json")
    document = json.loads(ended.out)
    diagnostics = (document[0] if isinstance(document, list) else document)["diagnostics"]
    assert [(each["id"], each["severity"]) for each in diagnostics] == [("comment-not-utf8", "warning")]
    ended.out.encode()


def test_nothing_is_lost_by_rewriting(run, tmp_path):
    module = written(tmp_path, MODULE)
    before = module.read_bytes()
    assert run("fmt", "--unicode", "M.tla").code == 0
    assert module.read_bytes().count(GBK) == before.count(GBK) == 7
    assert run("fmt", "--ascii", "M.tla").code == 0
    assert module.read_bytes().count(GBK) == 7


def test_an_algorithm_with_such_comments_is_translated(run, tmp_path):
    module = written(tmp_path, ALGORITHM, b"SPECIFICATION Spec\n")
    assert run("check", "M.tla").code == 0
    assert run("translate", "M.tla").code == 0
    assert module.read_bytes().count(GBK) == 4
    assert run("translate", "--check", "M.tla").code == 0
    assert CliRunner().invoke(translate, ["--stdout", str(module)]).stdout_bytes == module.read_bytes()


def test_comments_of_a_configuration(run, tmp_path):
    written(tmp_path, MODULE, b"\\* %\n(* % *)\nINIT Init\nNEXT Next\nINVARIANT Small\n".replace(b"%", GBK))
    assert run("check", "M.tla").code == 12


def test_text_around_a_module_is_not_read(run, tmp_path):
    written(tmp_path, b"% before\n" + MODULE + b"% behind\n")
    assert run("check", "M.tla").code == 12


@pytest.mark.parametrize(
    ("module", "place"),
    [
        (MODULE.replace(b"x = 0", b"x = %"), "5:13"),
        (MODULE.replace(b"x = 0", b'x = "%"'), "5:14"),
        (MODULE.replace(b"Small", b"S%"), "8:2"),
        (ALGORITHM.replace(b"x := 1", b"x := %"), "5:13"),
        (ALGORITHM.replace(b"x := 1", b'x := "%"'), "5:14"),
    ],
)
def test_elsewhere_they_are_an_error(run, tmp_path, module, place):
    written(tmp_path, module)
    ended = run("parse", "M.tla")
    assert ended.code == 1
    assert "error[not-utf8]: byte 0xbc" in ended.err
    assert f"M.tla:{place}" in ended.err
    assert run("check", "M.tla").code == 150
    assert run("fmt", "--ascii", "M.tla").code == (0 if b"--algorithm" in module else 1)


def test_in_a_configuration_too(run, tmp_path):
    written(tmp_path, MODULE, b"INIT Init\nNEXT Next\nINVARIANT S%\n".replace(b"%", GBK))
    ended = run("check", "M.tla")
    assert ended.code == 151
    assert "M.cfg:3:12" in ended.err


def test_from_python(tmp_path):
    result = gristmill.check(written(tmp_path, MODULE))
    assert result.verdict == "invariant"
    assert [each.id for each in result.diagnostics] == ["comment-not-utf8"]
    str(result).encode()
    result._repr_html_().encode()
