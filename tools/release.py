"""Build a release and try it: wheel and source archive, each installed into fresh environments and put to work.

Run: python -m tools.release build              both into dist/
     python -m tools.release contents           what is in the wheel, by kind, and what should not be; and whether the
                                                source archive makes the same wheel
     python -m tools.release try [core hf all]  fresh environments below build/release, a smoke test in each; prints
                                                the table of docs/release.md

Installing takes minutes and, for `hf` and `all`, gigabytes. torch is installed first and by version, as in set-up.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import venv
import zipfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
TRIED = ROOT / "build" / "release"
EXTRAS = {"core": "", "hf": "[hf]", "all": "[all]"}
SMOKE = """
import json, subprocess, sys
from pathlib import Path
import horsesense as hs

EXTRA = sys.argv[1]
def call(*words, fine=0):
    done = subprocess.run([str(Path(sys.executable).with_name("horsesense")), *words], capture_output=True, text=True)
    assert done.returncode == fine, (words, done.returncode, done.stderr)
    return done.stdout

assert call("--version").split() == ["horsesense", hs.__version__], call("--version")
assert hs.__file__.startswith(sys.prefix), "the installed package, not a checkout"
probe = hs.load_probe("starter")
assert len(probe.items) == 240
probe.save("starter.jsonl")
assert json.loads(call("show", "starter.jsonl", "--json"))["items"] == 240
assert "verdict" in json.loads(call("cues", "starter.jsonl", "--rounds", "19", "--json"))
if EXTRA == "core":
    words = [sys.executable, "-m", "horsesense", "run", "-m", "nowhere", "-p", "starter"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 2 and "horsesense[hf]" in done.stderr, done.stderr
else:
    sys.path.insert(0, "support")
    from tests.support.tiny import save_tiny
    save_tiny("gpt2", Path("tiny"))
    run = json.loads(call("run", "-m", "tiny", "-p", "starter.jsonl", "--limit", "8", "--out", "run", "--json"))
    assert run["results"][0]["accuracy"]["n"] == 8
    assert "tiny" in call("report", "run", "--format", "md")
    assert Path("run/report.html").stat().st_size > 10_000
if EXTRA == "all":
    call("report", "run", "--charts", "charts")
    assert list(Path("charts").glob("*.png")), "pictures"
    new = json.loads(call("annotate", "new", "starter.jsonl", "--instrument", "choice", "-o", "study", "--json"))
    assert Path("study/study.toml").is_file(), new
    assert json.loads(call("saliency", "-m", "tiny", "Ice is [cold].", "--json"))["words"], "saliency"
    words = ("run", "-m", "tiny", "-p", "starter.jsonl", "--limit", "8", "--no-cache")
    words += ("--engine", "ray", "--workers", "1")
    there = json.loads(call(*words, "--out", "ray", "--json"))
    assert there["results"][0]["accuracy"] == run["results"][0]["accuracy"], "the same answers on a worker of Ray"
print(EXTRA, "passes")
"""


def build() -> None:
    """Wheel and source archive, from a clean folder."""
    for old in DIST.glob("horsesense-*"):
        old.unlink()
    for target in ("sdist", "wheel"):
        subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", target], cwd=ROOT, check=True)


def contents() -> None:
    """Count what is in the wheel by ending; tests, tools and caches do not belong. The source archive makes it too."""
    names = list(_sums(_one("*.whl")))
    print(dict(Counter(Path(name).suffix for name in names)))
    odd = [name for name in names if not re.match(r"horsesense(-[\d.]+\.dist-info)?/", name) or "__pycache__" in name]
    if odd:
        sys.exit(f"what should not be in the wheel: {odd}")
    with tempfile.TemporaryDirectory() as folder:
        pip = [
            sys.executable,
            "-m",
            "pip",
            "--disable-pip-version-check",
            "-q",
            "wheel",
            "--no-deps",
            "--no-build-isolation",
        ]
        subprocess.run([*pip, "-w", folder, _one("*.tar.gz")], check=True)
        (made,) = Path(folder).glob("*.whl")
        if _sums(made) != _sums(_one("*.whl")):
            sys.exit("the source archive makes another wheel")
    print("the source archive makes the same wheel")


def _sums(wheel: Path) -> dict[str, int]:
    """The files of a wheel, and the checksum of each."""
    with zipfile.ZipFile(wheel) as archive:
        return {each.filename: each.CRC for each in archive.infolist()}


def try_out(wanted: list[str]) -> None:
    """Install the wheel with each extra, and the source archive with the first, each into an environment of its own.

    The source archive makes the same wheel (`contents`), so that one of it is enough.
    """
    print("| installed | from | packages | MB | seconds to install | of the smoke test |\n|---|---|---|---|---|---|")
    for name, archive in [*((name, _one("*.whl")) for name in wanted), (wanted[0], _one("*.tar.gz"))]:
        folder = TRIED / f"{name}-{archive.suffix.strip('.')}"
        began = time.monotonic()
        python = _installed(folder, archive, name)
        installed = time.monotonic()
        _smoke(folder, python, name)
        took = f"{installed - began:.0f} | {time.monotonic() - installed:.0f}"
        packages = list((folder / "env").rglob("*.dist-info"))
        size = sum(path.lstat().st_size for path in (folder / "env").rglob("*")) / 1e6
        kind = "wheel" if archive.suffix == ".whl" else "source archive"
        print(f"| {name} | {kind} | {len(packages)} | {size:,.0f} | {took} |", flush=True)


def _installed(folder: Path, archive: Path, name: str) -> Path:
    """A fresh environment with what is to be tried; its Python."""
    venv.create(folder / "env", clear=True, with_pip=True)
    python = folder / "env" / "bin" / "python"
    pip: list[str | Path] = [python, "-m", "pip", "--disable-pip-version-check", "-q", "install", "--no-compile"]
    torch = re.search(r"^torch==.*$", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE)
    assert torch is not None
    if name != "core":
        subprocess.run([*pip, torch[0]], check=True)
    subprocess.run([*pip, f"{archive}{EXTRAS[name]}", "-c", ROOT / "constraints.txt"], check=True)
    return python


def _smoke(folder: Path, python: Path, name: str) -> None:
    """Put what is installed to work; of the checkout it gets a tiny model's recipe and nothing else."""
    support = folder / "support" / "tests"
    support.mkdir(parents=True, exist_ok=True)
    if not (support / "support").exists():
        (support / "support").symlink_to(ROOT / "tests" / "support")
    for old in ("run", "ray", "study", "charts"):
        shutil.rmtree(folder / old, ignore_errors=True)
    (folder / "smoke.py").write_text(SMOKE, encoding="utf-8")
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([python, "smoke.py", name], cwd=folder, check=True, env=clean, stdout=subprocess.DEVNULL)


def _one(pattern: str) -> Path:
    found = list(DIST.glob(f"horsesense-{pattern}"))
    if len(found) != 1:
        sys.exit(f"dist/ has {len(found)} files {pattern}; python -m tools.release build")
    return found[0]


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["build"]:
            build()
        case ["contents"]:
            contents()
        case ["try", *names]:
            try_out(names or list(EXTRAS))
        case _:
            sys.exit(__doc__)
