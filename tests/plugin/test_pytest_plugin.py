"""The plugin in a pytest of its own."""

import pytest

pytest_plugins = ["pytester"]

MODULE = """---- MODULE {name} ----
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n < 3 /\\ n' = n + 1
Small == n < {bound}
====
"""
CONFIG = "INIT Init NEXT Next INVARIANT Small CHECK_DEADLOCK FALSE\n"


@pytest.fixture
def pair(pytester: pytest.Pytester):
    def write(name: str, bound: int, config: str = CONFIG) -> None:
        (pytester.path / f"{name}.tla").write_text(MODULE.format(name=name, bound=bound))
        (pytester.path / f"{name}.cfg").write_text(config)

    return write


@pytest.fixture
def run(pytester: pytest.Pytester, request: pytest.FixtureRequest):
    """Calls pytest with the plugin, also where this installation does not know its entry point yet."""
    known = request.config.pluginmanager.hasplugin("gristmill")
    load = () if known else ("-p", "gristmill.pytest_plugin")
    return lambda *options: pytester.runpytest_inprocess(*load, *options)


def test_silent_unless_asked(run, pair):
    pair("Good", 9)
    run().assert_outcomes()


def test_pairs_are_tests(pytester, run, pair):
    pair("Good", 9)
    pair("Bad", 2)
    (pytester.path / "Alone.cfg").write_text(CONFIG)
    result = run("--gristmill")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["Error: Invariant Small is violated", "*3  Next*", "*n: 1 → 2"])
    assert "Traceback" not in result.stdout.str()


def test_by_an_ini_option(pytester, run, pair):
    pytester.makeini("[pytest]\ngristmill = true\ngristmill_seconds = 60\n")
    pair("Good", 9)
    run().assert_outcomes(passed=1)


def test_a_mistake_in_a_configuration(run, pair):
    pair("Wrong", 9, "INIT Init NEXT Nxt\n")
    result = run("--gristmill")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*NEXT `Nxt` is not defined*", "*did you mean `Next`?"])


def test_what_specifications_may_do(pytester, run, pair, monkeypatch):
    monkeypatch.setenv("GRISTMILL_BOUND", "9")
    pair("Asks", 9)
    text = (pytester.path / "Asks.tla").read_text()
    text = text.replace("EXTENDS Naturals", "EXTENDS Naturals, IOUtils")
    (pytester.path / "Asks.tla").write_text(text.replace("n < 9", "n < atoi(IOEnv.GRISTMILL_BOUND)"))
    result = run("--gristmill")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*--env GRISTMILL_BOUND*"])
    pytester.makeini("[pytest]\ngristmill = true\ngristmill_env = GRISTMILL_BOUND\n")
    run().assert_outcomes(passed=1)


def test_an_algorithm_that_cannot_be_translated_fails(pytester, run, pair):
    pair("Good", 9)
    algorithm = "(* --algorithm A\nvariables x = 0;\nbegin\n  one: x := 1\n  two: x := 2;\nend algorithm *)\n===="
    module = pytester.path / "Good.tla"
    module.write_text(module.read_text().replace("====", algorithm))
    run("--gristmill").assert_outcomes(failed=1)


def test_a_configuration_of_any_name(pytester, run, pair):
    pair("Count", 9)
    (pytester.path / "CountSmall.cfg").write_text(CONFIG)
    (pytester.path / "other.cfg").write_text("\\* Module: Count.tla\n" + CONFIG)
    (pytester.path / "nobody.cfg").write_text(CONFIG)  # the only module there
    run("--gristmill").assert_outcomes(passed=4)


def test_a_configuration_without_a_module_is_told(pytester, run, pair):
    pair("One", 9)
    pair("Two", 9)
    (pytester.path / "nobody.cfg").write_text(CONFIG)
    result = run("--gristmill")
    result.assert_outcomes(passed=2, warnings=1)
    result.stdout.fnmatch_lines(["*nobody.cfg is checked by nobody*"])


@pytest.mark.parametrize(
    ("expected", "passed"),
    [("invariant Small", 1), ("invariant", 1), ("invariant Other", 0), ("deadlock", 0), ("ok", 0)],
)
def test_what_is_expected(run, pair, expected, passed):
    pair("Bad", 2, f"\\* Expected: {expected}\n{CONFIG}")
    result = run("--gristmill")
    result.assert_outcomes(passed=passed, failed=1 - passed)
    if not passed:
        result.stdout.fnmatch_lines([f"expected: {expected}; found: invariant Small"])


def test_expected_states(run, pair):
    pair("Good", 9, f"\\* Expected: ok, 4 states\n{CONFIG}")
    pair("Wrong", 9, f"\\* Expected: ok, 5 states\n{CONFIG}")
    run("--gristmill").assert_outcomes(passed=1, failed=1)


def test_a_limit_says_where_it_comes_from(pytester, run):
    pytester.makeini("[pytest]\ngristmill_seconds = 0.2\n")
    endless = "---- MODULE Long ----\nEXTENDS Naturals\nVARIABLE n\nInit == n = 0\nNext == n' = n + 1\n====\n"
    (pytester.path / "Long.tla").write_text(endless)
    (pytester.path / "Long.cfg").write_text("INIT Init NEXT Next\n")
    result = run("--gristmill")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["expected: ok; found: incomplete", "gristmill_seconds gives it 0.2 seconds."])
