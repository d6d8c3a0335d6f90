"""What is kept for later is bounded by its parts."""

from gristmill.search.memo import Remembered


def test_large_keys_count_for_more():
    memory = Remembered(100)
    for number in range(50):
        assert memory.keep(number, -number) == -number
    assert len(memory) == 50
    memory.keep(tuple(range(60)), "large")  # 61 parts more than there is room for
    assert list(memory.values()) == ["large"]
    memory.keep(7, "small")
    assert memory.get(7) == "small"
    assert memory.get(8) is None
