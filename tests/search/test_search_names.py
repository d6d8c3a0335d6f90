"""What the package says it has."""

from gristmill import search


def test_every_name_is_found():
    assert all(getattr(search, name) is not None for name in search.__all__)
