"""Building C: results, reuse, errors."""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gristmill.cc import Compiler, CompilerError, NoCompilerError, Stop, build, find_compiler, load

ANSWER = "int answer(void) { return 42; }\n"

needs_compiler = pytest.mark.skipif(
    all(shutil.which(name) is None for name in ("cc", "gcc", "clang")), reason="no C compiler on this machine"
)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("CC", raising=False)


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the compiler was called for."""
    seen: list[str] = []
    original: Callable[..., None] = Compiler.run

    def run(self: Compiler, arguments: list[str], directory: Path, what: str, stop: Stop | None) -> None:
        seen.append(what)
        original(self, arguments, directory, what, stop)

    monkeypatch.setattr(Compiler, "run", run)
    return seen


@needs_compiler
def test_can_be_stopped(tmp_path: Path) -> None:
    """Nobody waits for a compiler that is no longer needed, and it leaves nothing."""
    stop = Stop()
    functions = "".join(f"int f{n}(int x) {{ return x * {n} + f{n - 1}(x ^ {n}); }}\n" for n in range(1, 20_000))
    threading.Timer(0.2, stop.now).start()
    with pytest.raises(CompilerError):
        build({"long.c": f"int f0(int x) {{ return x; }}\n{functions}"}, flags=("-O3",), stop=stop)
    assert not list((tmp_path / "cache" / "gristmill").glob("work-*"))
    with pytest.raises(CompilerError):
        build({"short.c": "int f(void) { return 1; }\n"}, stop=stop)


@needs_compiler
def test_builds_loads_and_reuses(runs: list[str]) -> None:
    first = build({"answer.c": ANSWER})
    assert load(first).answer() == 42
    assert sorted(runs) == ["answer.c", "what was to be linked"]
    assert build({"answer.c": ANSWER}) == first
    assert len(runs) == 2


@needs_compiler
def test_compiles_only_what_has_changed(tmp_path: Path, runs: list[str]) -> None:
    folder = tmp_path / "fixed"
    folder.mkdir()
    (folder / "fixed.h").write_text("int fixed(void);\n")
    (folder / "fixed.c").write_text('#include "fixed.h"\nint fixed(void) { return 40; }\n')

    def total(more: int) -> int:
        texts = {"own.h": f"enum {{ MORE = {more} }};\n"}
        texts["main.c"] = '#include "fixed.h"\n#include "own.h"\nint total(void) { return fixed() + MORE; }\n'
        return int(load(build(texts, [folder / "fixed.c"])).total())

    assert total(1) == 41
    assert total(2) == 42
    assert runs.count("fixed.c") == 1
    assert runs.count("main.c") == 2
    (folder / "fixed.h").write_text("int fixed(void); /* changed */\n")
    assert total(2) == 42
    assert runs.count("fixed.c") == 2


@needs_compiler
def test_flags_and_libraries_make_another_build() -> None:
    text = {"m.c": "#include <math.h>\ndouble root(double x) { return sqrt(x) * SCALE; }\n"}
    paths = {build(text, flags=["-O1", f"-DSCALE={scale}"], libraries=["m"]) for scale in (1, 2)}
    assert len(paths) == 2


@needs_compiler
def test_a_program() -> None:
    program = build({"main.c": "int main(void) { return 7; }\n"}, kind="program")
    assert subprocess.run([program], check=False).returncode == 7


@needs_compiler
def test_the_message_of_the_compiler_is_shown_without_its_folder(tmp_path: Path) -> None:
    with pytest.raises(CompilerError) as caught:
        build({"wrong.c": "int f(void) { return nowhere; }\n" + "int g(void) { return 1 }\n" * 30})
    message = str(caught.value)
    assert "rejects wrong.c" in message
    assert "nowhere" in message
    assert str(tmp_path) not in message
    assert len(message.splitlines()) < 16
    assert len(caught.value.output.splitlines()) > 20


@needs_compiler
def test_a_missing_symbol_is_an_error_when_loaded_or_called() -> None:
    with pytest.raises(CompilerError, match="cannot be loaded"):
        load(build({"a.c": "extern int absent; int *f(void) { return &absent; }\n"}))


def test_names_are_file_names() -> None:
    for name in ("../a.c", "a/b.c", "", "-o.c", "a\n.c"):
        with pytest.raises(ValueError, match="not the name"):
            build({name: ""}, compiler=Compiler(("none",), "none"))


@needs_compiler
def test_many_at_once(runs: list[str]) -> None:
    with ThreadPoolExecutor(8) as pool:
        paths = list(pool.map(lambda _: build({"answer.c": ANSWER}), range(8)))
    assert {load(path).answer() for path in paths} == {42}
    assert build({"answer.c": ANSWER}) in paths


def test_no_compiler_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("gristmill.cc.compiler.find_spec", lambda name: None)
    with pytest.raises(NoCompilerError, match=r"install.*pip install ziglang"):
        find_compiler()
    monkeypatch.setenv("CC", "nosuchcompiler -m64")
    with pytest.raises(NoCompilerError, match="nosuchcompiler"):
        find_compiler()
    monkeypatch.setenv("CC", "'unfinished")
    with pytest.raises(NoCompilerError, match="no command"):
        find_compiler()


@needs_compiler
def test_CC_may_have_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = find_compiler()
    monkeypatch.setenv("CC", "cc -DANSWER=42")
    assert find_compiler().identity != plain.identity
    assert load(build({"a.c": "int answer(void) { return ANSWER; }\n"})).answer() == 42


def test_the_compiler_of_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ziglang", reason="the package ziglang is not installed")
    monkeypatch.setenv("PATH", str(tmp_path))
    compiler = find_compiler()
    assert compiler.is_zig
    assert load(build({"answer.c": ANSWER})).answer() == 42
