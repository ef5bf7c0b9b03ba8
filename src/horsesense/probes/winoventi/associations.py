"""Generic associations: words that a model puts behind *is* and behind *is not* alike (winoventi.txt, 2.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from horsesense.errors import UserError
from horsesense.files.tables import iter_rows, write_rows
from horsesense.probes.winoventi.nouns import Noun

KS = (1, 3, 5, 8, 10)
"""How deep the two rankings are cut."""
COLUMNS = ("noun", "word", "k", "perplexity", "kept", "reason")


@dataclass(frozen=True, slots=True)
class Association:
    """A noun and a word that a model ties to it, whether the sentence is negated or not."""

    noun: str
    word: str
    k: int
    """The least depth at which the word is common to both rankings."""
    perplexity: float | None = None
    """Of the statement *The noun is word.*, by the model that ranks."""
    kept: bool = True
    """Whether it goes on to the next step."""
    reason: str = ""
    """Why it does not."""

    def dropped(self, reason: str) -> Association:
        return replace(self, kept=False, reason=reason)


def common_words(rankings: Sequence[tuple[Sequence[str], Sequence[str]]], depths: Sequence[int] = KS) -> dict[str, int]:
    """Word → least depth at which it is among the best both of *is* and of *is not*, for some ending.

    Within an ending the two are intersected; then the endings are united. What is common at a depth is common
    at every greater one, so associations are cumulative.

    >>> dot = ["hot", "empty", "full"], ["empty", "cold", "hot"]
    >>> comma = ["cold", "full", "hot"], ["cold", "hot", "full"]
    >>> common_words([dot, comma], depths=(1, 2, 3))
    {'cold': 1, 'empty': 2, 'hot': 3, 'full': 3}
    """
    found: dict[str, int] = {}
    for depth in sorted(depths):
        for affirmative, negated in rankings:
            other = set(negated[:depth])
            for word in affirmative[:depth]:
                if word in other:
                    found.setdefault(word, depth)
    return found


def associations_of(
    noun: Noun, rankings: Sequence[tuple[Sequence[str], Sequence[str]]], depths: Sequence[int] = KS
) -> tuple[Association, ...]:
    """The associations of one noun, those of a small k first."""
    found = common_words(rankings, depths)
    return tuple(Association(noun.word, word, k) for word, k in found.items())


def own_words(noun: Noun) -> frozenset[str]:
    """Words that say no more than the noun itself: it, its parts, its singular and its plural.

    >>> sorted(own_words(Noun("test tubes", plural=True)))
    ['test', 'tests', 'tube', 'tubes']
    """
    import lemminflect

    words = set(noun.word.lower().split())
    for word in tuple(words):
        for lemma in lemminflect.getAllLemmas(word, upos="NOUN").get("NOUN", (word,)):
            words |= {lemma, *lemminflect.getInflection(lemma, "NNS")}
    return frozenset(words)


def shares(associations: Iterable[Association]) -> list[tuple[str, int, float]]:
    """The words of all associations, the commonest first, with their count and share.

    >>> shares([Association("cup", "empty", 1), Association("jar", "empty", 3), Association("cup", "full", 3)])
    [('empty', 2, 0.6666666666666666), ('full', 1, 0.3333333333333333)]
    """
    counts = Counter(each.word for each in associations)
    total = counts.total()
    return [(word, count, count / total) for word, count in sorted(counts.items(), key=lambda one: (-one[1], one[0]))]


def write_associations(path: Path, associations: Iterable[Association]) -> None:
    """Write a table (.tsv, .csv) or JSON lines."""
    write_rows(path, ({name: _cell(getattr(each, name)) for name in COLUMNS} for each in associations), COLUMNS)


def _cell(value: object) -> object:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else value


def read_associations(path: Path) -> list[Association]:
    """Read what `write_associations` wrote, or what a person wrote with at least noun, word and k."""
    found = []
    for line, row in iter_rows(path):
        try:
            found.append(
                Association(
                    noun=_needed(row, "noun"),
                    word=_needed(row, "word"),
                    k=int(_needed(row, "k")),
                    perplexity=float(row["perplexity"]) if row.get("perplexity") not in (None, "") else None,
                    kept=str(row.get("kept", "true")).lower() != "false",
                    reason=str(row.get("reason", "")),
                )
            )
        except UserError as error:
            raise error.at(path, line) from None
        except ValueError as error:
            raise UserError(f"this is not a number ({error})", file=path, line=line, fix="repair the line") from None
    return found


def _needed(row: dict[str, object], name: str) -> str:
    value = row.get(name)
    if value in (None, ""):
        raise UserError(f"the column {name!r} is missing or empty", fix="a table of associations has noun, word and k")
    return str(value)
