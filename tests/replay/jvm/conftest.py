"""Java programs compiled for the tests, and drivers on them that are stopped whatever happens."""

import shutil
import subprocess
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from java_driving import Made
from java_programs import BARE, MILL, SHELVES, WORDS

from gristmill.replay.driver import Point, Reading, Setup
from gristmill.replay.jvm.driver import JvmDriver
from gristmill.source import SourceFile
from gristmill.source.toml_places import places_of

MAPPING = """
[values]
mode = "work"
[jvm]
classpath = ["{mapping}"]
MORE
[node]
command = [
  "java", "-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto",
  "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:{port.debug}",
  "-cp", "{classpath}", "MAIN", "{mode}",
]
ports = ["debug"]
"""


@pytest.fixture(scope="session")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the class files of all programs."""
    if shutil.which("javac") is None or shutil.which("java") is None:
        pytest.skip("there is no JDK (java, javac)")
    folder = tmp_path_factory.mktemp("classes")
    for name, text in {"Mill": MILL, "Shelves": SHELVES, "Words": WORDS}.items():
        (folder / f"{name}.java").write_text(text, encoding="utf-8")
    subprocess.run(["javac", "-g", "-encoding", "UTF-8", "-d", folder, *folder.glob("*.java")], check=True)
    (folder / "Bare.java").write_text(BARE, encoding="utf-8")
    subprocess.run(["javac", "-g:none", "-d", folder, folder / "Bare.java"], check=True)
    return folder


@pytest.fixture
def driver(classes: Path) -> Iterator[Made]:
    """Makes a driver of a program, which is stopped at the end of the test."""
    made: list[JvmDriver] = []

    def make(
        *points: Point,
        readings: dict[str, Any] | None = None,
        main: str = "Mill",
        mode: str = "work",
        nodes: tuple[str, ...] = ("1",),
        more: str = "",
        change: Callable[[str], str] = lambda text: text,
    ) -> JvmDriver:
        text = change(MAPPING.replace("MAIN", main).replace("MORE", more).replace('"work"', f'"{mode}"'))
        file = SourceFile("test.map.toml", text)
        own = tuple(Reading(name, how) for name, how in (readings or {}).items())
        setup = Setup(nodes, points, own, tomllib.loads(text), places_of(file), classes)
        made.append(JvmDriver(setup))
        return made[-1]

    yield make
    for each in made:
        each.stop()
