"""The language of paths."""

import pytest

from gristmill.replay.jvm.paths import Call, Each, Index, Key, Name, PathError, Step, parse_path, parse_paths


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("this", [Name("this")]),
        ("qp.type", [Name("qp"), Name("type")]),
        ("Q.Learner[*].sock.close()", [Name("Q"), Name("Learner"), Each(False), Name("sock"), Call("close")]),
        ("a[0][-1]", [Name("a"), Index(0), Index(-1)]),
        ("m{7}.x", [Name("m"), Key(7), Name("x")]),
        ("m{*}.x", [Name("m"), Each(True), Name("x")]),
        ('m{"a b"}{true}{ c }', [Name("m"), Key("a b"), Key(True), Key("c")]),
        ("get().Outer$Inner", [Call("get"), Name("Outer$Inner")]),
    ],
)
def test_steps(text: str, steps: list[Step]) -> None:
    assert list(parse_path(text).steps) == steps


@pytest.mark.parametrize("text", ["", ".a", "a..b", "a.", "a b", "a[", "a[x]", "a{}", "a()b", "f(1)", "1"])
def test_mistakes(text: str) -> None:
    with pytest.raises(PathError):
        parse_path(text)


def test_alternatives() -> None:
    assert [each.text for each in parse_paths("a.b | c")] == ["a.b", "c"]
    assert [each.text for each in parse_paths(["a", "b | c"])] == ["a", "b", "c"]
