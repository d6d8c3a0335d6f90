"""What a step changes, in words."""

import pytest

from gristmill.report.changes import packed, step_words
from gristmill.values import ModelValue, Value, make_function, make_record, make_set

S1, S2, S3 = ModelValue("s1"), ModelValue("s2"), ModelValue("s3")

pytestmark = pytest.mark.usefixtures("world")


def words(before: Value, after: Value, width: int = 76) -> list[str]:
    return [str(each) for each in step_words({"v": before, "other": 1}, {"v": after, "other": 1}, width)]


def on_servers(first: Value, second: Value) -> Value:
    return make_function([(S1, first), (S2, second)])


def vote(term: int) -> Value:
    return make_record({"type": "Vote", "from": S2, "to": S1, "term": term})


def test_an_entry_of_a_log() -> None:
    assert words(on_servers(((1, "a"),), ()), on_servers(((1, "a"), (2, "x")), ())) == ['v[s1]: Append <<2, "x">>']
    assert words(on_servers((), ()), on_servers(((2, "x"),), ())) == ['v[s1]: Append <<2, "x">>']


def test_a_message() -> None:
    expected = 'v: + [type |-> "Vote", from |-> s2, to |-> s1, term |-> 2]'
    assert words(make_set([vote(1)]), make_set([vote(1), vote(2)])) == [expected]
    assert words(make_set([vote(1), vote(2)]), make_set([vote(1)])) == [expected.replace("+", "-")]


def test_a_small_set() -> None:
    assert words(on_servers(make_set([]), make_set([])), on_servers(make_set([]), make_set([S1]))) == [
        "v[s2]: {} → {s1}"
    ]


def test_a_queue() -> None:
    assert words((1, 2, 3), (2, 3)) == ["v: Tail drops 1"]
    assert words((1, 2, 3), (2, 3, 4)) == ["v: Tail drops 1, Append 4"]
    assert words((1, 2, 3), (3, 4, 5, 6)) == ["v: <<1, 2, 3>> → <<3, 4, 5, 6>>"]
    assert words((1, 2), ()) == ["v: <<1, 2>> → <<>>"]
    assert words((1, 2, 3), (1, 9, 3)) == ["v[2]: 2 → 9"]


def test_parts_of_a_record() -> None:
    before = make_record({"term": 1, "log": tuple(range(9)), "name": "a longer text that stays as it is"})
    after = make_record({"term": 2, "log": tuple(range(10)), "name": "a longer text that stays as it is"})
    assert words(before, after) == ["v.term: 1 → 2", "v.log: Append 9"]


def test_a_bag() -> None:
    assert words((), make_function([(vote(1), 1)])) == [
        'v: + [type |-> "Vote", from |-> s2, to |-> s1, term |-> 1] :> 1'
    ]
    assert words(make_function([(vote(1), 1)]), make_function([(vote(1), 2)])) == [
        'v[[type |-> "Vote", … 3 more]]: 1 → 2'
    ]


def test_many_elements_are_counted() -> None:
    (line,) = words(make_set([]), make_set([vote(term) for term in range(9)]))
    assert line == 'v: + [type |-> "Vote", from |-> s2, to |-> s1, term |-> 0], … 8 more'


def test_the_message_that_goes_and_the_one_that_comes() -> None:
    """Each gets a share of the room, in which one sees what they are."""

    def message(term: int, kind: str) -> Value:
        return make_record({"term": term, "type": kind, "from": S1, "to": S2, "entries": (1, 2, 3)})

    expected = 'v: - [type |-> "Request", … 4 more], + [type |-> "Answer", … 4 more]'
    assert words(make_set([message(1, "Request")]), make_set([message(1, "Answer")])) == [expected]


def test_no_words_are_wider_than_there_is_room() -> None:
    large = make_set([vote(term) for term in range(40)])
    pairs: list[tuple[Value, Value]] = [
        (large, make_set([])),
        (on_servers(large, large), on_servers(make_set([]), (large, large))),
        ("x" * 500, "y" * 500),
        ((), make_function([(large, large)])),
        (make_function([(large, 1)]), make_function([(large, large)])),
    ]
    for width in (40, 76, 136):
        for before, after in pairs:
            found = words(before, after, width)
            assert found
            assert max(map(len, found)) <= width


def test_few_changes_have_a_line_each() -> None:
    found = step_words({"x": 1, "y": 1}, {"x": 2, "y": 2}, 76)
    assert packed(found, 76, most=2) == ["x: 1 → 2", "y: 1 → 2"]


def test_more_changes_share_lines() -> None:
    names = [f"variable{number}" for number in range(7)]
    found = step_words(dict.fromkeys(names, 1), dict.fromkeys(names, 2), 76)
    lines = packed(found, 76, most=2)
    assert lines == [
        "variable0: 1 → 2; variable1: 1 → 2; variable2: 1 → 2; variable3: 1 → 2",
        "variable4: 1 → 2; variable5: 1 → 2; variable6: 1 → 2",
    ]


def test_what_has_no_room_is_counted() -> None:
    names = [f"variable{number}" for number in range(40)]
    found = step_words(dict.fromkeys(names, 1), dict.fromkeys(names, 2), 76)
    lines = packed(found, 76, most=2)
    assert len(lines) == 2
    assert max(map(len, lines)) <= 76
    shown = sum(line.count("→") for line in lines)
    assert lines[1].endswith(f"; … {40 - shown} more changes")
