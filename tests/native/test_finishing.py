"""What is decided of generated C when all of it is written."""

from __future__ import annotations

from gristmill.native.emit.finishing import Calls, copies, used


def test_the_version_that_takes_fewest_slots_for_untouched_is_called_by_all() -> None:
    calls = Calls()
    versions = {frozenset({1, 2, 3}): "k_1"}
    first = calls.mark(versions, frozenset({1, 2, 3}))
    assert not calls.have_choice()
    versions[frozenset({2})] = "k_2"
    second = calls.mark(versions, frozenset({2, 4}))
    assert calls.have_choice()
    assert calls.written(f"  {first}\n") == (
        "  w->next[1] = w->current[1];\n  w->next[3] = w->current[3];\n  k_2(w, f);\n"
    )
    assert calls.written(f"    {second}\n") == "    w->next[4] = w->current[4];\n    k_2(w, f);\n"


def test_many_slots_in_a_row_are_copied_at_once() -> None:
    assert list(copies({7, 3, 4, 5, 6})) == ["memcpy(w->next + 3, w->current + 3, 5 * sizeof(V));"]


def test_what_nothing_reaches_from_the_tables_is_left_out() -> None:
    declarations = [
        "static void a_1(gm_worker *w);",
        "static const uint16_t changed_2[] = {1};",
        "static void k_3(gm_worker *w, V *f);",
        "static void k_4(gm_worker *w, V *f);",
        "static const uint16_t changed_5[] = {2};",
        "static void initial(gm_worker *w);",
    ]
    functions = [
        "static void a_1(gm_worker *w) {\n  k_4(w, f);\n}\n",
        "static void k_3(gm_worker *w, V *f) {\n  gm_step(w, 0, changed_2, 1);\n}\n",
        "static void k_4(gm_worker *w, V *f) {\n  gm_step(w, 0, changed_5, 1);\n}\n",
        "static void initial(gm_worker *w) {\n}\n",
    ]
    left = used(declarations, functions, "static void (*const branches[])(gm_worker *) = {a_1};\n")
    assert left == ([declarations[0], *declarations[3:]], [functions[0], *functions[2:]])
