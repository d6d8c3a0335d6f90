"""The language server as an editor meets it: a real process, and the protocol."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from counter_module import COUNTER, ids, where
from scripted_client import Client, ServerError

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_diagnostics_as_one_types(client: Client, counter: Path) -> None:
    assert client.open(counter) == []
    line, character = where(counter, "count = 0")
    place = {"line": line, "character": character}
    behind = {"line": line, "character": character + 5}
    told = client.change(counter, {"range": {"start": place, "end": behind}, "text": "coutn"})
    assert ids(told) == ["unknown-name"]
    assert told[0]["range"] == {"start": place, "end": behind}
    assert "did you mean `count`" in told[0]["message"]
    assert client.change(counter, {"range": {"start": place, "end": behind}, "text": "count"}) == []


def test_several_changes_at_once_and_a_whole_text(client: Client, counter: Path) -> None:
    client.open(counter)
    top = {"line": 1, "character": 0}
    told = client.change(
        counter,
        {"range": {"start": top, "end": top}, "text": "\\* 𝒳 is two characters of UTF-16: 𝒳\n"},
        {"range": {"start": {"line": 1, "character": 3}, "end": {"line": 1, "character": 5}}, "text": "X"},
        {"range": {"start": {"line": 8, "character": 0}, "end": {"line": 8, "character": 4}}, "text": "Nxt"},
    )
    assert [(each["code"], each["range"]["start"]) for each in told] == [("unknown-name", {"line": 9, "character": 19})]
    assert client.change(counter, {"text": COUNTER}) == []


def test_positions_behind_wide_characters(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "Wide.tla"
    path.write_text('---- MODULE Wide ----\nF == <<"𝒳𝒳", Missing>>\n====\n', encoding="utf-8")
    told = client.open(path)
    assert told[0]["range"] == {"start": {"line": 1, "character": 15}, "end": {"line": 1, "character": 22}}


@pytest.mark.parametrize(("encoding", "character"), [("utf-8", 19), ("utf-16", 15), ("utf-32", 13)])
def test_the_encoding_that_the_client_wants(tmp_path: Path, encoding: str, character: int) -> None:
    path = tmp_path / "Wide.tla"
    path.write_text('---- MODULE Wide ----\nF == <<"𝒳𝒳", Missing>>\n====\n', encoding="utf-8")
    with Client(capabilities={"general": {"positionEncodings": [encoding]}}) as client:
        assert client.capabilities["positionEncoding"] == encoding
        assert client.open(path)[0]["range"]["start"] == {"line": 1, "character": character}


def test_lines_end_where_the_protocol_says(client: Client, tmp_path: Path) -> None:
    """A form feed or U+2028 in a line ends no line; texts with such characters are changed where the editor says."""
    path = tmp_path / "M.tla"
    path.write_text("---- MODULE M ----\n\\* one\x0ctwo\u2028three\nF == 1\nG == F\n====\n", encoding="utf-8")
    assert client.open(path) == []
    place = {"start": {"line": 3, "character": 5}, "end": {"line": 3, "character": 6}}
    told = client.change(path, {"range": place, "text": "H"})
    assert [each["range"]["start"]["line"] for each in told] == [3]


def test_what_is_not_saved_counts_for_other_modules(client: Client, counter: Path, tmp_path: Path) -> None:
    user = tmp_path / "User.tla"
    user.write_text("---- MODULE User ----\nEXTENDS Counter\nThree == Small\n====\n")
    client.open(counter)
    assert client.open(user) == []
    client.change(counter, {"text": COUNTER.replace("Small", "Little")})
    assert ids(client.until_published(user.as_uri())) == ["unknown-name"]
    client.close(counter)
    assert client.until_published(user.as_uri()) == []


def test_mistakes_in_modules_that_are_not_open_are_told_at_their_place(client: Client, tmp_path: Path) -> None:
    (tmp_path / "Base.tla").write_text("---- MODULE Base ----\nA == B\n====\n")
    user = tmp_path / "User.tla"
    user.write_text("---- MODULE User ----\nEXTENDS Base\n====\n")
    client.open(user)
    assert ids(client.published[(tmp_path / "Base.tla").as_uri()]) == ["unknown-name"]
    client.close(user)
    assert client.until_published((tmp_path / "Base.tla").as_uri()) == []


def test_hover(client: Client, counter: Path) -> None:
    client.open(counter)

    def hovered(what: str, which: int = 0) -> str:
        return client.at("hover", counter, *where(counter, what, which))["contents"]["value"]

    assert "Init == count = 0" in hovered("Init")
    assert "state level" in hovered("Init")
    assert "It begins at nothing." in hovered("Init", 1)
    assert "How far it counts." in hovered("Limit /")
    assert "action level" in hovered("Next", 1)
    assert "Nat" in hovered("Naturals") or "module of the library" in hovered("Naturals")
    assert "the next state" in hovered("' = count")
    assert client.at("hover", counter, *where(counter, "0")) is None


def test_definition_references_and_highlights(client: Client, counter: Path) -> None:
    client.open(counter)
    found = client.at("definition", counter, *where(counter, "Next]"))
    assert found == {
        "uri": counter.as_uri(),
        "range": {"start": {"line": 7, "character": 0}, "end": {"line": 7, "character": 4}},
    }
    place = where(counter, "count = 0")
    assert len(client.at("references", counter, *place, context={"includeDeclaration": True})) == 7
    assert len(client.at("documentHighlight", counter, *place)) == 7
    library = client.at("definition", counter, *where(counter, "+"))
    assert library["uri"].endswith("/Naturals.tla")


def test_symbols(client: Client, counter: Path) -> None:
    client.open(counter)
    (module,) = client.about("documentSymbol", counter)
    assert [each["name"] for each in module["children"]] == ["Limit", "count", "Init", "Next", "Spec", "Small"]
    found = client.request("workspace/symbol", query="sml")
    assert [(each["name"], each["location"]["uri"]) for each in found] == [("Small", counter.as_uri())]


def test_symbols_of_an_algorithm(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "M.tla"
    path.write_text(
        "---- MODULE M ----\nEXTENDS Sequences\n(* --algorithm A\nvariables x = 1;\nprocedure P() begin\n"
        "Do: x := 2; return;\n"
        "end procedure;\nprocess w \\in {1} begin\nGo: call P();\nend process;\nend algorithm; *)\n====\n"
    )
    assert ids(client.open(path)) == ["pluscal-untranslated"]
    (module,) = client.about("documentSymbol", path)
    (algorithm,) = [each for each in module["children"] if each["name"] == "A"]
    assert [each["name"] for each in algorithm["children"]] == ["x", "P", "w"]
    assert [each["name"] for each in algorithm["children"][2]["children"]] == ["Go"]
    told = client.change(path, {"text": path.read_text().replace("x := 2", "y := 2")})
    assert [each["range"]["start"]["line"] for each in told if each["severity"] == 1] == [5]


def test_completion(client: Client, counter: Path) -> None:
    client.open(counter)

    def offered(text: str) -> list[str]:
        changed = COUNTER.replace("Small ==", f"More == {text}\nSmall ==")
        client.change(counter, {"text": changed})
        line = changed[: changed.index("More")].count("\n")
        items = client.at("completion", counter, line, len(f"More == {text}"))["items"]
        return [each["label"] for each in sorted(items, key=lambda each: each["sortText"])]

    names = offered("Ne")
    assert {"Next", "Init", "count", "Limit", "UNCHANGED", "Nat"} <= set(names)
    assert "Small" not in names  # defined further down
    assert names.index("Next") < names.index("UNCHANGED")
    assert "item" in offered("\\A item \\in {1} : it")
    assert {"\\in", "\\cup", "\\notin"} <= set(offered("x \\"))
    assert offered("\\* a comment ") == []
    client.change(counter, {"text": COUNTER.replace("EXTENDS Naturals", "EXTENDS ")})
    modules = [each["label"] for each in client.at("completion", counter, 1, 8)["items"]]
    assert {"Naturals", "Sequences", "TLC"} <= set(modules)
    assert "Counter" not in modules


def test_completion_behind_an_instance_and_its_documentation(client: Client, counter: Path, tmp_path: Path) -> None:
    user = tmp_path / "User.tla"
    user.write_text("---- MODULE User ----\nVARIABLE count\nC == INSTANCE Counter WITH Limit <- 3\nF == C!\n====\n")
    client.open(user)
    items = client.at("completion", user, 3, 7)["items"]
    names = [each["label"] for each in sorted(items, key=lambda each: each["sortText"])]
    assert names[:4] == ["Init", "Next", "Small", "Spec"]
    assert "Nat" in names  # which the instance has from Naturals
    client.open(counter)
    init = next(each for each in client.at("completion", counter, 7, 8)["items"] if each["label"] == "Init")
    assert "It begins at nothing." in client.request("completionItem/resolve", **init)["documentation"]["value"]


def test_rename(client: Client, counter: Path) -> None:
    client.open(counter)
    place = where(counter, "Small")
    edits = client.at("rename", counter, *place, newName="Little")["changes"]
    assert {Path(uri).name: len(own) for uri, own in edits.items()} == {"Counter.tla": 1, "Counter.cfg": 1}
    with pytest.raises(ServerError, match="word of the language"):
        client.at("rename", counter, *place, newName="LET")
    with pytest.raises(ServerError, match="rename the file"):
        client.at("prepareRename", counter, *where(counter, "Naturals"))


def test_formatting(tmp_path: Path, counter: Path) -> None:
    options = {"tabSize": 2, "insertSpaces": True}
    with Client(symbols="unicode") as client:
        client.open(counter)
        (edit,) = client.about("formatting", counter, options=options)
        assert "Init ≜ count = 0" in edit["newText"]
        client.change(counter, {"text": "---- MODULE Counter ----\nF == (\n====\n"})
        with pytest.raises(ServerError, match="does not parse"):
            client.about("formatting", counter, options=options)
    with Client() as client:
        client.open(counter)
        assert client.about("formatting", counter, options=options) == []


def test_colours_and_folding(client: Client, counter: Path) -> None:
    client.open(counter)
    numbers = client.about("semanticTokens/full", counter)["data"]
    legend = client.capabilities["semanticTokensProvider"]["legend"]["tokenTypes"]
    line = character = 0
    seen = {}
    lines = COUNTER.split("\n")
    for at in range(0, len(numbers), 5):
        down, right, length, kind, _ = numbers[at : at + 5]
        line, character = line + down, right if down else character + right
        seen[lines[line][character : character + length]] = legend[kind]
    assert {
        "Init": "function",
        "count": "variable",
        "EXTENDS": "keyword",
        "Naturals": "namespace",
    }.items() <= seen.items()
    assert seen["(* It begins at nothing. *)"] == "comment"
    assert client.about("foldingRange", counter)[0] == {"startLine": 0, "endLine": 10, "kind": "region"}


@pytest.mark.parametrize("text", ["", "not a module", "---- MODULE", "---- MODULE Counter ----\nF == (*", COUNTER[:80]])
def test_broken_texts_answer_every_request(client: Client, counter: Path, text: str) -> None:
    client.open(counter)
    client.change(counter, {"text": text})
    for method in ("documentSymbol", "foldingRange", "semanticTokens/full", "codeLens"):
        client.about(method, counter)
    for method in ("hover", "definition", "completion", "documentHighlight"):
        client.at(method, counter, 1, 2)
    client.at("references", counter, 1, 2, context={"includeDeclaration": True})
    assert client.shown == []


def test_a_document_without_a_file(client: Client) -> None:
    document = {"uri": "untitled:Untitled-1", "languageId": "tla", "version": 1, "text": COUNTER.replace("= 0", "= a")}
    client.notify("textDocument/didOpen", textDocument=document)
    assert ids(client.until_published("untitled:Untitled-1")) == ["unknown-name"]


def test_every_module_of_the_examples(tmp_path: Path) -> None:
    """What the server says is what `gristmill parse` says; the long form is tests/conformance/language_server.py."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "conformance"))
    from language_server import compare_diagnostics

    files = [each for each in sorted(EXAMPLES.resolve().rglob("*.tla")) if each.stat().st_size < 20_000][:40]
    broken = tmp_path / "Broken.tla"
    broken.write_text("---- MODULE Broken ----\nEXTENDS Missing\nF == G + \n====\n")
    assert [str(each[0]) for each in compare_diagnostics([*files, broken])] == []
