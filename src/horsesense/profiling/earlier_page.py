"""The page that a profile's folder has already: it is replaced only by one that shows at least as much."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from horsesense.data.store import occupied
from horsesense.errors import argument
from horsesense.runs.store import PROFILE


@dataclass(frozen=True, slots=True)
class PageScope:
    """What a profile page covers."""

    version: int
    twin_seed: int
    edition: str
    complete: bool
    adaptive: bool
    models: Sequence[str]
    abilities: Sequence[str]

    def loses(self, earlier: PageScope) -> list[str]:
        """Return what a page would no longer show if this one replaced an earlier one.

        >>> small = PageScope(3, 0, "quick", True, False, ["a"], ["parts"])
        >>> PageScope(3, 0, "full", True, False, ["b"], ["parts"]).loses(small)
        ['a']
        >>> PageScope(3, 0, "full", True, False, ["b", "a"], ["parts"]).loses(small)
        []
        """
        lost = [name for name in earlier.models if name not in self.models]
        lost += [f"the ability {name}" for name in earlier.abilities if name not in self.abilities]
        lost += ["the full edition"] if earlier.edition == "full" != self.edition else []
        lost += ["all questions"] if earlier.complete and not self.complete and not lost else []
        lost += [f"the scores without {argument('adaptive')}"] if self.adaptive and not earlier.adaptive else []
        lost += [f"the questions of profile {earlier.version}"] if earlier.version != self.version else []
        lost += [f"the twins of seed {earlier.twin_seed}"] if earlier.twin_seed != self.twin_seed else []
        return lost


def check_replaced(folder: Path, scope: PageScope) -> None:
    """Refuse a folder whose page shows what the new one would not; answers are stored per model and reused."""
    try:
        stored = orjson.loads((folder / PROFILE).read_bytes())
        earlier = PageScope(
            version=stored["version"],
            twin_seed=stored["twin_seed"],
            edition=stored["edition"],
            complete=stored["complete"],
            adaptive=stored["adaptive"],
            models=[each["model"] for each in stored["models"]],
            abilities=[each["name"] for each in stored["abilities"]],
        )
    except (OSError, ValueError, KeyError, TypeError):
        return  # no page, or none that says what it shows
    if lost := scope.loses(earlier):
        more = ", or ask for these as well: their answers are stored" if set(lost) & {*earlier.models} else ""
        raise occupied(folder, f"a profile page with {', '.join(lost)}, which the new one would not have", more)
