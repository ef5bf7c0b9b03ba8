"""The lock has what set-up needs, in tested versions, each file with its hash; the bill of it; one version of ours."""

from __future__ import annotations

import json
import re
import tomllib

import horsesense
from tests.support import ROOT
from tools.supply.bill_of_materials import bill
from tools.supply.lock import entries

LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
CONSTRAINTS = (ROOT / "constraints.txt").read_text(encoding="utf-8")


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def locked() -> dict[str, str]:
    return {
        plain(entry.partition("==")[0]): re.split(r"[\s;\\]", entry.partition("==")[2])[0] for entry in entries(LOCK)
    }


def test_every_entry_has_its_version_and_hashes() -> None:
    tested = dict(line.split("==") for line in CONSTRAINTS.splitlines() if "==" in line)
    wanted = {plain(name): version for name, version in tested.items()}
    for name, version in locked().items():
        assert wanted.get(name, version) == version, name
    for entry in entries(LOCK):
        assert "--hash=sha256:" in entry, entry.partition("\n")[0]
    assert "://" not in LOCK, "where files come from is a setting of who installs"


def test_nothing_that_is_asked_for_is_missing() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = [*project["dependencies"], *(each for part in project["optional-dependencies"].values() for each in part)]
    names = {plain(re.match(r"[\w.-]+", each)[0]) for each in asked}  # type: ignore[index]  # each begins with its name
    assert names - set(locked()) - {"torch", "horsesense"} == set(), "make lock"


def test_the_bill_names_all_of_it() -> None:
    made = bill(LOCK, CONSTRAINTS)
    assert (made["bomFormat"], made["specVersion"]) == ("CycloneDX", "1.6")
    assert {plain(each["name"]) for each in made["components"]} == set(locked()) | {"torch"}
    assert len({each["bom-ref"] for each in made["components"]}) == len(made["components"])
    assert all(each["purl"].startswith("pkg:pypi/") for each in made["components"])


def test_set_up_and_ci_take_what_is_locked_and_nothing_else() -> None:
    """Of npm too; torch alone is installed by its version."""
    packages = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    assert len(packages) > 1
    assert all(each["integrity"].startswith("sha512-") for name, each in packages.items() if name)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    installs = [line.strip().removeprefix("@") for line in makefile.splitlines() if "PIP) install" in line]
    others = [line for line in installs if "--require-hashes -r requirements.lock" not in line and " -e ." not in line]
    assert others == ["$(PIP) install --no-compile \"$$(grep '^torch==' constraints.txt)\""]
    assert all("--no-deps" in line for line in installs if line not in others)
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8") if (ROOT / ".ci" / "run").is_file() else ""
    assert "npm install" not in ci
    assert "pip install" not in ci


def test_what_nothing_needs_is_not_there() -> None:
    assert "python-multipart" not in locked(), "forms are read without it"
    assert (ROOT / "SECURITY.md").is_file()


def test_one_version_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    cited = re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    assert cited is not None
    assert {project["version"], cited[1]} == {horsesense.__version__}
    assert f"## [{horsesense.__version__}] - " in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
