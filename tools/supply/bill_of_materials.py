"""The bill of materials (CycloneDX 1.6, JSON) of what set-up installs: ``make sbom`` writes ``sbom.json``."""

from __future__ import annotations

import json
import re
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

from tools.supply.lock import LOCK, ROOT, entries


def bill(lock: str, constraints: str) -> dict[str, Any]:
    """One component a package of the lock, with its hashes and, where it is installed, its licence; and torch."""
    components = [_component(entry) for entry in entries(lock)]
    torch = re.search(r"(?m)^torch==(\S+)", constraints)
    if torch:
        components.append(_component(f"torch=={torch[1]}"))
    own = metadata.version("horsesense")
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {"type": "application", "name": "horsesense", "version": own, "bom-ref": "horsesense"}
        },
        "components": sorted(components, key=lambda each: each["purl"]),
    }


def _component(entry: str) -> dict[str, Any]:
    name, version = re.match(r"([\w.-]+)==([^\s;\\]+)", entry).groups()  # type: ignore[union-attr]  # entries begin so
    purl = f"pkg:pypi/{re.sub(r'[-_.]+', '-', name).lower()}@{version}"
    component: dict[str, Any] = {"type": "library", "name": name, "version": version, "purl": purl, "bom-ref": purl}
    found = re.findall(r"sha256:([0-9a-f]{64})", entry)
    # CycloneDX has one hash an algorithm for one file; a package has many files, so they stand as properties.
    if found:
        component["properties"] = [{"name": "horsesense:sha256", "value": each} for each in found]
    licence = _licence(name)
    return component | ({"licenses": [{"license": {"name": licence}}]} if licence else {})


def _licence(name: str) -> str:
    try:
        about = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return ""
    told = _field(about, "License-Expression")
    classified = [
        line.rpartition(" :: ")[2] for line in about.get_all("Classifier") or () if line.startswith("License")
    ]
    return told or "; ".join(classified) or _field(about, "License").partition("\n")[0][:80]


def _field(about: metadata.PackageMetadata, name: str) -> str:
    return next(iter(about.get_all(name) or ()), "")


def main() -> None:
    made = bill(LOCK.read_text(encoding="utf-8"), (ROOT / "constraints.txt").read_text(encoding="utf-8"))
    place = Path(sys.argv[1] if len(sys.argv) > 1 else "sbom.json")
    place.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    print(f"{place}: {len(made['components'])} components")


if __name__ == "__main__":
    main()
