"""Searches that fail, are interrupted or run out, and models that look at the search."""

import time

from toy_models import TableModel, action_predicate, counter, state_predicate

from gristmill.search import Failure, Limits, ModelError, breadth_first


class Stopping(TableModel):
    follows_search = True

    def follow(self, position):
        self.position = position


def fail(message="no value", verdict="error"):
    raise ModelError(message, verdict)


def test_error_in_a_successor_comes_after_the_successors_before_it():
    """As TLC: 4 states generated and found, 2 left, depth 3, and a trace up to the state that was expanded."""

    class Failing(TableModel):
        def successors(self, state):
            x, y = state
            if x == 1 and y == 0:
                yield 0, [(2, 0)]
                fail()
            yield 0, [(x + 1, 0), (x + 1, 1)]

    result = breadth_first(Failing("x y", [(0, 0)], {"Next": lambda x, y: []}))
    assert (result.verdict, result.message, result.exit_code) == ("error", "no value", 75)
    assert (result.generated, result.distinct, result.queue, result.depth) == (4, 4, 2, 3)
    assert [step.state for step in result.trace] == [{"x": 0, "y": 0}, {"x": 1, "y": 0}]


def test_failed_assertion():
    result = breadth_first(counter(5, constraints=[state_predicate("C", lambda n: n < 2 or fail("boom", "assert"))]))
    assert (result.verdict, result.message, result.exit_code) == ("assert", "boom", 14)
    assert [step.state["n"] for step in result.trace] == [0, 1, 2]


def test_invariant_that_cannot_be_evaluated():
    bad = state_predicate("Bad", lambda n: n < 2 or fail())
    result = breadth_first(counter(5, invariants=[state_predicate("Fine", lambda n: True), bad]))
    assert (result.verdict, result.property) == ("error", "Bad")
    assert result.message == "Evaluating Bad failed: no value"
    assert len(result.trace) == 3


def test_action_property_that_cannot_be_evaluated():
    bad = action_predicate("Bad", lambda s, t: t[0] < 2 or fail())
    assert breadth_first(counter(5, implied_actions=[bad])).property == "Bad"


def test_errors_in_initial_states():
    class Failing(TableModel):
        def initial_states(self):
            yield (0,)
            fail()

        def failure(self, error):
            return Failure(str(error), partial={"n": 1})

    result = breadth_first(Failing("n", [], {}, check_deadlock=False))
    assert (result.verdict, [step.state for step in result.trace]) == ("error", [{"n": 1}])
    model = counter(3, implied_inits=[state_predicate("Bad", lambda n: fail())])
    result = breadth_first(model)
    assert (result.verdict, result.property, len(result.trace)) == ("error", "Bad", 1)


def test_unfinished_successor_ends_the_trace():
    class Unfinished(TableModel):
        def successors(self, state):
            raise ModelError("y has no value")

        def failure(self, error):
            return Failure(str(error), partial={"x": 1}, action=0)

    result = breadth_first(Unfinished("x y", [(0, 0)], {"Step": lambda x, y: []}))
    assert [(step.action, step.state) for step in result.trace] == [(None, {"x": 0, "y": 0}), ("Step", {"x": 1})]


def test_time_limit():
    model = TableModel("n", [(0,)], {"Up": lambda n: [(n + 1,)]})
    started = time.monotonic()
    result = breadth_first(model, limits=Limits(seconds=0.3))
    assert time.monotonic() - started < 3
    assert (result.verdict, result.property, result.trace) == ("incomplete", None, None)
    assert "time limit of 0.3 s" in result.message
    assert result.distinct == result.generated == result.depth


def test_memory_limit():
    model = TableModel("n", [(0,)], {"Up": lambda n: [(n + 1,)]})
    result = breadth_first(model, limits=Limits(memory=1 << 20))
    assert (result.verdict, result.message) == ("incomplete", "The memory limit of 1 MB was reached")


def test_interrupt_keeps_what_is_known():
    def interrupt(n):
        if n == 100:
            raise KeyboardInterrupt
        return [(n + 1,)]

    low = state_predicate("Low", lambda n: n < 50)
    result = breadth_first(TableModel("n", [(0,)], {"Up": interrupt}))
    assert (result.verdict, result.message, result.distinct) == ("incomplete", "Interrupted", 101)
    result = breadth_first(TableModel("n", [(0,)], {"Up": interrupt}, invariants=[low]), keep_going=True)
    assert (result.verdict, result.property, result.distinct) == ("invariant", "Low", 101)


def test_progress():
    seen = []
    model = TableModel("n", [(0,)], {"Up": lambda n: [(n + 1,)]})
    breadth_first(model, limits=Limits(seconds=0.7), on_progress=seen.append)
    assert len(seen) >= 2
    assert all(each.distinct == each.generated == each.depth for each in seen)
    assert seen[0].queue == 1
    assert seen[0].memory > 1 << 20


def test_a_model_that_follows_the_search():
    class Watching(TableModel):
        follows_search = True

        def follow(self, position):
            self.position = position

        def initial_states(self):
            levels.append(("initial", self.position.level, self.position.path()))
            return super().initial_states()

        def successors(self, state):
            levels.append((state[0], self.position.level, [s for _, s in self.position.path()]))
            return super().successors(state)

    levels = []
    seen = []

    def inside(n):
        seen.append((n, model.position.level, [state[0] for _, state in model.position.path()]))
        return model.position.level < 3

    def note_step(before, after):
        steps.append((before[0], model.position.level, model.position.action))
        return True

    steps = []
    model = Watching(
        "n",
        [(0,)],
        {"Up": lambda n: [(n + 1,)]},
        constraints=[state_predicate("Inside", inside)],
        implied_actions=[action_predicate("Note", note_step)],
    )
    result = breadth_first(model)
    assert (result.generated, result.distinct, result.depth) == (3, 2, 2)
    assert levels == [("initial", 0, []), (0, 1, [(0,)]), (1, 2, [(0,), (1,)])]
    assert seen == [(0, 1, [0]), (1, 2, [0, 1]), (2, 3, [0, 1, 2])]
    assert steps == [(0, 1, 0), (1, 2, 0)]
    assert (model.position.distinct, model.position.generated, model.position.queue) == (2, 3, 0)


def test_counts_that_a_model_sees_are_exact():
    def note(n):
        position = model.position
        seen.append((n, position.generated, position.distinct, position.queue, position.depth))
        return True

    seen = []
    model = Stopping(
        "n",
        [(0,)],
        {"Any": lambda n: [(n,), (n + 1,), (n + 2,)] if n < 3 else []},
        check_deadlock=False,
        invariants=[state_predicate("Note", note)],
    )
    breadth_first(model)
    assert seen == [(0, 1, 1, 0, 1), (1, 3, 2, 0, 2), (2, 4, 3, 1, 2), (3, 7, 4, 1, 3), (4, 10, 5, 1, 3)]


def test_alias_replaces_the_variables():
    low = state_predicate("Low", lambda n: n < 2)
    model = counter(5, invariants=[low], alias=lambda state, following: {"now": state[0], "then": following[0]})
    trace = breadth_first(model).trace
    assert trace.names == ("now", "then")
    assert [dict(step.shown) for step in trace] == [{"now": 0, "then": 1}, {"now": 1, "then": 2}, {"now": 2, "then": 2}]
    assert trace.variables == ("n",)
    assert [step.state for step in trace] == [{"n": 0}, {"n": 1}, {"n": 2}]


def test_a_model_that_ends_the_search():
    """As TLCSet("exit", TRUE) in TLC: the state being expanded is finished, and the verdict is what is known then."""

    def enough(x, y):
        if model.position.distinct > 4:
            model.position.stop()
        return True

    model = Stopping(
        "x y",
        [(0, 0)],
        {"Next": lambda x, y: [(x + 1, 0), (x + 1, 1), (x + 1, 2)]},
        invariants=[state_predicate("Enough", enough)],
    )
    result = breadth_first(model)
    assert (result.verdict, result.generated, result.distinct, result.queue, result.depth) == ("ok", 7, 7, 5, 3)
    assert any("ended the search itself" in caveat for caveat in result.caveats)


def test_a_model_that_ends_the_search_in_initial_states():
    def enough(n):
        model.position.stop()
        return True

    model = Stopping("n", [(0,), (1,)], {"Up": lambda n: [(n + 1,)]}, invariants=[state_predicate("Enough", enough)])
    result = breadth_first(model)
    assert (result.verdict, result.generated, result.distinct, result.queue, result.depth) == ("ok", 2, 2, 2, 1)


def test_what_is_left_of_a_time_limit_is_told_as_the_limit_that_was_given():
    left = Limits(seconds=14).after(0.9, at_least=0.1).after(3, at_least=0.1)
    assert left.seconds is not None
    assert 10 < left.seconds < 10.2
    assert left.exceeded(11, 0) == "The time limit of 14 s was reached"
    assert Limits(seconds=14).after(20, at_least=0.1).seconds == 0.1
    assert Limits().after(20, at_least=0.1) == Limits()
