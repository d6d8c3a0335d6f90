"""Whole runs by a cluster are those of one machine: `explore --cluster`, `check --sweep --cluster`."""

import json
import os
import signal
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner
from models import TOKENS

from gristmill.cli.check import check
from gristmill.cluster.connection import Connection, parse_address
from gristmill.cluster.hands import Hands
from gristmill.controlled.search import Result, explore
from gristmill.explore.api import explore as explore_system
from gristmill.explore.options import Options
from gristmill.explore.target import find_target, loader
from gristmill.source import SourceError

pytestmark = pytest.mark.usefixtures("ray")

BANK = str(Path(__file__).parents[2] / "examples" / "explore" / "bank.py")
FAULTY = "from gristmill.bench.dbss.paxos import CredulousAcceptor, paxos\nsystem = paxos(faulty=CredulousAcceptor)\n"
FAMILY = "SPECIFICATION Spec\nCONSTANTS Node = {a, b}\nCONSTRAINT Few\nINVARIANT Bounded\nCHECK_DEADLOCK FALSE\n"


def of_search(result: Result) -> tuple[object, ...]:
    failures = {kind: (each.events, each.seed) for kind, each in result.failures.items()}
    return result.verdict, result.runs, result.events, result.schedules, failures


def test_runs_of_an_asyncio_program_are_the_same() -> None:
    program, load = find_target(BANK), loader(BANK)
    search = partial(explore, program, runs=200, keep_going=True)  # type: ignore[arg-type]
    assert of_search(search(cluster="local:2", load=load)) == of_search(search())


def test_runs_of_a_system_are_the_same(tmp_path: Path) -> None:
    file = tmp_path / "faulty.py"
    file.write_text(FAULTY)
    system = find_target(str(file))
    alone = explore_system(system, Options("random", runs=300))  # type: ignore[arg-type]
    options = Options("random", runs=300, cluster="local:2", load=loader(str(file)))
    together = explore_system(system, options)  # type: ignore[arg-type]
    assert alone.failure is not None
    assert together.failure is not None
    assert together.failure.schedule == alone.failure.schedule
    assert (together.verdict, together.counts.runs) == (alone.verdict, alone.counts.runs)


def test_a_search_that_is_one_run_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "faulty.py"
    file.write_text(FAULTY)
    options = Options("dbss", cluster="local:2", load=loader(str(file)))
    with pytest.raises(SourceError, match="whole runs"):
        explore_system(find_target(str(file)), options)  # type: ignore[arg-type]


def test_a_sweep_is_the_same(tmp_path: Path) -> None:
    (tmp_path / "Tokens.tla").write_text(TOKENS)
    (tmp_path / "Tokens.cfg").write_text(FAMILY)
    arguments = [str(tmp_path / "Tokens.tla"), "--sweep", "Most=1..3", "--format", "json"]
    alone, together = (CliRunner().invoke(check, [*arguments, *more]) for more in ((), ("--cluster", "local:2")))
    assert together.exit_code == alone.exit_code == 12
    assert timeless(together.stdout) == timeless(alone.stdout)


def timeless(text: str) -> object:
    def without(document: object) -> object:
        if isinstance(document, dict):
            return {key: without(value) for key, value in document.items() if "seconds" not in key}
        return [without(each) for each in document] if isinstance(document, list) else document

    return without(json.loads(text))


def test_what_is_wrong_with_a_model_of_a_sweep_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "Tokens.tla").write_text(TOKENS)
    (tmp_path / "Tokens.cfg").write_text(FAMILY)
    found = CliRunner().invoke(check, [str(tmp_path / "Tokens.tla"), "--sweep", "Nobody=1..3", "--cluster", "local:2"])
    assert found.exit_code == 151
    assert found.output.count("Nobody") < 4


@pytest.mark.skipif(not Path("/proc").exists(), reason="ends processes by their numbers")
def test_the_jobs_of_a_lost_actor_are_done_again(tmp_path: Path) -> None:
    connection = Connection(parse_address("local:2", 1))
    team: Hands[int, tuple[int, int]] = Hands(connection, partial(Deadly, str(tmp_path / "once")))
    try:
        answers = list(team.perform(range(20)))
    finally:
        team.close()
        connection.close()
    assert [job for job, _ in answers] == list(range(20))
    assert team.losses == 1
    assert (tmp_path / "once").exists()


class Deadly:
    """Dies at job 7, the first time."""

    def __init__(self, once: str) -> None:
        self.once = Path(once)

    def __enter__(self) -> "Deadly":
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def __call__(self, job: int) -> tuple[int, int]:
        if job == 7 and not self.once.exists():
            self.once.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return job, os.getpid()
