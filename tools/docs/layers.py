"""Picture of the packages in layers, drawn from the import contract of pyproject.toml."""

from __future__ import annotations

import tomllib
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[2]
_ABOUT = {
    "cli": "commands generated from public functions, and how results are printed",
    "annotation_server": "pages that ask people",
    "annotate": "human annotation and audits",
    "exchange": "other tools' files",
    "replication": "published figures",
    "report": "pages, tables, charts",
    "profiling": "ten abilities, controls and verdicts",
    "methods": "one package per paper",
    "training": "fine-tuning, fitted controls, inoculation",
    "cues": "surface cues, relatedness, hardened subsets",
    "runs": "ask, manifest, answers, results, comparison, stored files",
    "scoring": "from items to prompts and scores",
    "models": "local, served, bundled",
    "drawing": "style of all charts",
    "stats": "intervals, paired tests, power, agreement",
    "lexicons": "WordNet, GCIDE, ConceptNet, word forms, vectors",
    "core": "item, probe, card, spec, answer, judgement; probes and builders by name",
    "data": "tables, atomic files, artifact store, downloads",
    "settings": "environment and horsesense.toml",
    "progress": "progress and warnings",
    "registry": "methods and plug-ins by name",
    "errors": "one sentence: what, where, what to do",
    "terminal": "tables and lines on the terminal",
    "formatting": "numbers as text",
}
_WIDTH, _HIGH, _GAP, _EDGE = 720, 46, 14, 10


def layers() -> list[list[str]]:
    """Return the packages by layer, the top layer first; packages of one layer do not import each other."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    (contract,) = (each for each in contracts if each["type"] == "layers")
    return [[name.strip().removeprefix("horsesense.") for name in layer.split("|")] for layer in contract["layers"]]


def picture() -> str:
    """Draw the SVG with one box per package; each imports only from the layers below it."""
    rows = layers()
    high = len(rows) * (_HIGH + _GAP) + 2 * _EDGE - _GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {high}" font-family="system-ui, sans-serif" '
        'role="img" aria-label="The packages of horsesense, each above those that it imports from">',
        "<style>rect{fill:#f1f6f4;stroke:#2f6f5e}text{fill:#2f6f5e;font-size:15px}.about{fill:#444;font-size:12px}"
        "path{stroke:#999;fill:none}</style>",
    ]
    for row, packages in enumerate(rows):
        top = _EDGE + row * (_HIGH + _GAP)
        wide = (_WIDTH - 2 * _EDGE - (len(packages) - 1) * _GAP) / len(packages)
        for i, package in enumerate(packages):
            left = _EDGE + i * (wide + _GAP)
            parts.append(f'<rect x="{left:.0f}" y="{top}" width="{wide:.0f}" height="{_HIGH}" rx="6"/>')
            parts.append(f'<text x="{left + 12:.0f}" y="{top + 19}">{escape(package)}</text>')
            about = escape(_ABOUT.get(package, ""))
            parts.append(f'<text class="about" x="{left + 12:.0f}" y="{top + 36}">{about}</text>')
        if row + 1 < len(rows):
            parts.append(f'<path d="M{_WIDTH // 2} {top + _HIGH}v{_GAP}"/>')
    return "\n".join([*parts, "</svg>\n"])


if __name__ == "__main__":
    path = ROOT / "docs" / "images" / "layers.svg"
    path.write_text(picture(), encoding="utf-8")
    print(path.relative_to(ROOT))
