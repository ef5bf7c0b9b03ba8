"""Generic associations (section 2.2): words that a model predicts after both *is* and *is not*.

Their depth k, their selection (2.3), their files (ours with one association per line; the published tables by model,
outcome collection and registry), and the mean Jaccard similarity of models (2.2 and table 4).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Annotated

from annotated_types import Ge

from horsesense.core import probe_name
from horsesense.core.document import Document
from horsesense.data.tables import iter_rows, open_table, write_rows
from horsesense.errors import UserError, translate_errors
from horsesense.lexicons.words import FUNCTION_WORDS, listed
from horsesense.methods.winoventi.nouns import Noun
from horsesense.methods.winoventi.word_relations import WordRelations
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.stats.accuracy import accuracy
from horsesense.stats.intervals import Estimate

KS = (1, 3, 5, 8, 10)
"""Depths at which the two rankings are cut."""
COLUMNS = ("noun", "word", "k", "perplexity", "kept", "reason")
"""Columns of our tables."""
Depths = Mapping[tuple[str, str], int]
"""Noun and generic word → smallest depth of the association."""

_MODEL_SUFFIX = "_common"
"""End of a model's column name in the published tables by model."""
_NOUN_COLUMN = "Word"
_DEPTH_COLUMNS = ("Word", "Associative Bias", "min_k")
"""Columns of the published outcome collection."""
_TRIPLET_COLUMNS = ("Word", "Associative Bias", "Alternative")
"""Columns of the published registry, before one column per model."""
_TRUTH = {"True": True, "False": False}


@dataclass(frozen=True, slots=True)
class Association:
    """A noun and a word that a model associates with it, whether the sentence is negated or not."""

    noun: str
    word: str
    k: int
    """The smallest depth at which the word is in both rankings."""
    perplexity: float | None = None
    """Perplexity of the statement *The noun is word.*, by the ranking model."""
    kept: bool = True
    """Whether the next step uses it."""
    reason: str = ""
    """Why it is dropped."""

    def dropped(self, reason: str) -> Association:
        return replace(self, kept=False, reason=reason)


def common_words(rankings: Sequence[tuple[Sequence[str], Sequence[str]]], depths: Sequence[int] = KS) -> dict[str, int]:
    """Return word → smallest depth at which it is in the top of both *is* and *is not*, for some ending.

    Within an ending the two are intersected; then the endings are united. A word that is common at a depth is common at
    every greater one, so associations are cumulative.

    >>> dot = ["hot", "empty", "full"], ["empty", "cold", "hot"]
    >>> comma = ["cold", "full", "hot"], ["cold", "hot", "full"]
    >>> common_words([dot, comma], depths=(1, 2, 3))
    {'cold': 1, 'empty': 2, 'hot': 3, 'full': 3}
    """
    least: dict[str, int] = {}
    for depth in sorted(depths):
        for affirmative, negated in rankings:
            denied = set(negated[:depth])
            for word in affirmative[:depth]:
                if word in denied:
                    least.setdefault(word, depth)
    return least


def words_of_noun(noun: Noun) -> frozenset[str]:
    """Return the words that repeat the noun: itself, its parts, its singular and its plural.

    >>> sorted(words_of_noun(Noun("test tubes", plural=True)))
    ['test', 'tests', 'tube', 'tubes']
    """
    import lemminflect

    words = set(noun.word.lower().split())
    for word in tuple(words):
        for lemma in lemminflect.getAllLemmas(word, upos="NOUN").get("NOUN", (word,)):
            words |= {lemma, *lemminflect.getInflection(lemma, "NNS")}
    return frozenset(words)


def shares(associations: Iterable[Association]) -> list[tuple[str, int, float]]:
    """Return the words of all associations with count and share, the most frequent first.

    >>> shares([Association("cup", "empty", 1), Association("jar", "empty", 3), Association("cup", "full", 3)])
    [('empty', 2, 0.6666666666666666), ('full', 1, 0.3333333333333333)]
    """
    counts = Counter(each.word for each in associations)
    total = counts.total()
    return [
        (word, count, count / total) for word, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    ]


def write_associations(path: Path, associations: Iterable[Association]) -> None:
    """Write associations as a table (.tsv, .csv) or JSON lines."""
    write_rows(path, ({name: _cell(getattr(each, name)) for name in COLUMNS} for each in associations), COLUMNS)


def _cell(value: object) -> object:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else value


def read_associations(path: Path) -> list[Association]:
    """Read the file of `write_associations`, or a table with at least noun, word and k."""
    associations = []
    for line, row in iter_rows(path):
        try:
            associations.append(
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
    return associations


def _needed(row: dict[str, object], name: str) -> str:
    value = row.get(name)
    if value in (None, ""):
        raise UserError(f"the column {name!r} is missing or empty", fix="a table of associations has noun, word and k")
    return str(value)


# Published tables by model: one noun per line, one column per model, words separated by commas.


@dataclass(frozen=True, slots=True)
class KTable:
    """Words of several models for the same nouns."""

    models: tuple[str, ...]
    nouns: tuple[str, ...]
    """A noun with two meanings occurs twice, as in THINGS."""
    columns: tuple[tuple[frozenset[str], ...], ...]
    """For each model, the words of each noun."""


def read_k_file(path: Path) -> KTable:
    """Read a published table; the last cells of a line may be empty."""
    table = open_table(path)
    header = table.header
    models = [name.removesuffix(_MODEL_SUFFIX) for name in header[1:]]
    if len(header) < 3 or header[0] != _NOUN_COLUMN or not all(name.endswith(_MODEL_SUFFIX) for name in header[1:]):
        raise UserError(
            "this is not a table of associations",
            file=path,
            line=1 if header else None,
            fix=f"its header is {_NOUN_COLUMN!r} and two or more columns MODEL{_MODEL_SUFFIX}, separated by tabs",
        )
    nouns, rows = [], []
    for number, (noun, *cells) in table.rows:
        if len(cells) != len(models):
            raise UserError(
                f"the line has {len(cells) + 1} fields and the header {len(header)}", file=path, line=number
            )
        nouns.append(noun)
        rows.append([frozenset(filter(None, (word.strip() for word in cell.split(",")))) for cell in cells])
    if not rows:
        raise UserError("there is no noun in the table", file=path, fix="check that it was fetched whole")
    return KTable(tuple(models), tuple(nouns), tuple(zip(*rows, strict=True)))


def table_of(models: Sequence[tuple[str, Sequence[Association]]], k: int, nouns: Sequence[str]) -> KTable:
    """Make the same table from our associations, cut at ``k``.

    >>> cup = [Association("cup", "empty", 1), Association("cup", "full", 3)]
    >>> table_of([("a", cup), ("b", cup[:1])], k=3, nouns=["cup"]).columns == (
    ...     (frozenset({"empty", "full"}),), (frozenset({"empty"}),))
    True
    """
    columns = []
    for _, associations in models:
        words: dict[str, set[str]] = {noun: set() for noun in nouns}
        for each in associations:
            if each.k <= k and each.noun in words:
                words[each.noun].add(each.word)
        columns.append(tuple(frozenset(words[noun]) for noun in nouns))
    return KTable(tuple(name for name, _ in models), tuple(nouns), tuple(columns))


# Depths of the generator's associations: from the published collection or from our tables.


def depths_of(associations: Iterable[Association]) -> dict[tuple[str, str], int]:
    """Return the smallest depth of each association."""
    depths: dict[tuple[str, str], int] = {}
    for each in associations:
        depths[each.noun, each.word] = min(each.k, depths.get((each.noun, each.word), each.k))
    return depths


def read_depths(path: Path) -> dict[tuple[str, str], int]:
    """Read depths from the published outcome collection (``min_k``), or from a file of ``winoventi associations``."""
    table = open_table(path)
    if not set(_DEPTH_COLUMNS) <= set(table.header):
        return depths_of(read_associations(path))
    depths: dict[tuple[str, str], int] = {}
    for number, cells in table.rows:
        row = dict(zip(table.header, cells, strict=False))
        noun, word, depth = (row.get(name, "") for name in _DEPTH_COLUMNS)
        if not noun or not word or not depth.isdigit():
            raise UserError("the line has no noun, association and depth", file=path, line=number, fix="repair it")
        depths[noun, word] = min(int(depth), depths.get((noun, word), int(depth)))
    return depths


def read_registry(path: Path) -> dict[str, set[str]]:
    """Read the published registry: model → triplets whose generic word it prefers without a premise."""
    table = open_table(path)
    header = table.header
    if tuple(header[:3]) != _TRIPLET_COLUMNS or len(header) < 4:
        raise UserError(
            "this is not a registry of associations",
            file=path,
            line=1,
            fix=f"its header is {', '.join(_TRIPLET_COLUMNS)} and one column per model, separated by tabs",
        )
    passes: dict[str, set[str]] = {model: set() for model in header[3:]}
    for number, cells in table.rows:
        if len(cells) != len(header) or any(cell not in _TRUTH for cell in cells[3:]):
            raise UserError("the line is not a triplet with True or False per model", file=path, line=number)
        name = " | ".join(cell.strip() for cell in cells[:3])
        for model, cell in zip(header[3:], cells[3:], strict=True):
            if _TRUTH[cell]:
                passes[model].add(name)
    return passes


ABOVE_KNEE = "above the knee of its k"
ABOVE_LAST_KNEE = "above the knee over all k"
FUNCTION_WORD = "a function word"
NO_PROPERTY = "no adjective or participle"

_NO_PROPERTIES = FUNCTION_WORDS | frozenset(listed("mine yours ours theirs hers here now then too also just only one"))


def knee(values: Sequence[float]) -> int:
    """Return the number of values before the knee of their sorted curve.

    The knee is where the curve is furthest below the line from its first to its last point, as in Kneedle (Satopää et
    al., 2011) without smoothing; the paper only says "inflection point". The value at the knee is included. Fewer than
    three values have no knee, and neither has a straight line.

    >>> knee([10, 11, 12, 13, 200, 400])
    4
    >>> knee([5, 5, 5]), knee([1, 2])
    (3, 2)
    """
    curve = sorted(values)
    span = curve[-1] - curve[0] if curve else 0.0
    if len(curve) < 3 or span <= 0:
        return len(curve)
    last = len(curve) - 1
    gaps = [i / last - (value - curve[0]) / span for i, value in enumerate(curve)]
    best = max(range(len(curve)), key=lambda i: gaps[i])
    return best + 1 if gaps[best] > 1e-12 else len(curve)


@dataclass(frozen=True, slots=True)
class Selection:
    """Selected and dropped associations, and the knees."""

    associations: tuple[Association, ...]
    """All associations, the kept ones first; the others give the reason."""
    knees: dict[int, float]
    """k → largest perplexity that is kept."""
    last_knee: float | None
    """Largest perplexity that is kept over all k; None without a last round."""

    @property
    def kept(self) -> tuple[Association, ...]:
        return tuple(each for each in self.associations if each.kept)


def drop_nonsense(associations: Iterable[Association], lexicon: WordRelations | None) -> list[Association]:
    """Drop words that are not properties: function words and, if WordNet is available, words that are neither adjective
    nor participle. In the paper people do this; they flag a tenth of the pairs."""
    return [_judged(each, lexicon) if each.kept else each for each in associations]


def _judged(association: Association, lexicon: WordRelations | None) -> Association:
    if association.word.lower() in _NO_PROPERTIES:
        return association.dropped(FUNCTION_WORD)
    if lexicon is not None and not lexicon.is_property(association.word.lower()):
        return association.dropped(NO_PROPERTY)
    return association


def select(associations: Iterable[Association], most: int | None = None) -> Selection:
    """Cut each k at the knee of its perplexities, then once more over all that is left.

    ``most`` is the target number: the last round only happens if more are left, as in the paper.
    """
    by_k: dict[int, list[Association]] = {}
    dropped = []
    for each in associations:
        if each.kept and each.perplexity is not None:
            by_k.setdefault(each.k, []).append(each)
        else:
            dropped.append(each)
    knees: dict[int, float] = {}
    left: list[Association] = []
    for k in sorted(by_k):
        ranked = sorted(by_k[k], key=_perplexity)
        stays = knee([_perplexity(each) for each in ranked])
        knees[k] = _perplexity(ranked[stays - 1])
        left += ranked[:stays]
        dropped += [each.dropped(ABOVE_KNEE) for each in ranked[stays:]]
    last = None
    if left and (most is None or len(left) > most):
        values = sorted(map(_perplexity, left))
        last = values[knee(values) - 1]
        dropped += [each.dropped(ABOVE_LAST_KNEE) for each in left if _perplexity(each) > last]
        left = [each for each in left if _perplexity(each) <= last]
    return Selection((*left, *dropped), knees, last)


def _perplexity(association: Association) -> float:
    assert association.perplexity is not None
    return association.perplexity


# Similarity of models.


@dataclass(frozen=True, slots=True)
class Similarity(Document):
    """Similarity of the associations of models."""

    models: tuple[str, ...]
    """Models, in the order of rows and columns."""
    matrix: tuple[tuple[float, ...], ...]
    """Mean Jaccard similarity of each pair, as in the paper: two models without any association for a noun agree."""
    both_empty: tuple[tuple[float, ...], ...]
    """Share of nouns for which neither model of a pair has an association."""
    informative: tuple[tuple[Estimate | None, ...], ...]
    """Mean over the other nouns, with its interval; null for a model itself, and without such a noun."""


def jaccard(words: Set[str], others: Set[str]) -> float:
    """Return shared words over all words; two empty sets are the same set.

    The published code splits an empty cell into one empty word, so that "no association" counts as an association:
    shared if both models have none, and different from every real word.

    >>> jaccard({"hot", "empty"}, {"empty"}), jaccard(set(), set()), jaccard(set(), {"hot"})
    (0.5, 1.0, 0.0)
    """
    either = words | others
    return len(words & others) / len(either) if either else 1.0


def jaccard_table(columns: Sequence[Sequence[Set[str]]]) -> list[list[float]]:
    """Return the mean similarity of each pair of models, from the words of each noun in one order.

    Summing in that order reproduces the published tables to the last bit.

    >>> jaccard_table([[{"hot"}, set()], [{"hot"}, {"cold"}]])
    [[1.0, 0.5], [0.5, 1.0]]
    """
    lengths = {len(column) for column in columns}
    if len(lengths) > 1:
        raise UserError("the models were asked about different numbers of nouns", fix="compare them on the same nouns")
    if lengths <= {0}:
        raise UserError("there is no noun to compare models on")
    table = [[1.0] * len(columns) for _ in columns]
    for row, column in enumerate(columns):
        for i in range(row + 1, len(columns)):
            total = 0.0
            for words, others in zip(column, columns[i], strict=True):
                total += jaccard(words, others)
            table[row][i] = table[i][row] = total / len(column)
    return table


def informative_table(columns: Sequence[Sequence[Set[str]]], nouns: Sequence[str]) -> list[list[Estimate | None]]:
    """Return the mean similarity of each pair over the nouns for which at least one model has an association.

    >>> table = informative_table([[{"hot"}, set(), set()], [{"hot"}, {"cold"}, set()]], ["pan", "cup", "jar"])
    >>> table[0][1].value, table[0][1].n
    (0.5, 2)
    """
    table: list[list[Estimate | None]] = [[None] * len(columns) for _ in columns]
    for (i, column), (j, other) in combinations(enumerate(columns), 2):
        pairs = [each for each in zip(column, other, nouns, strict=True) if each[0] or each[1]]
        if pairs:
            values = [jaccard(words, others) for words, others, _ in pairs]
            table[i][j] = table[j][i] = accuracy(values, [noun for _, _, noun in pairs])
    return table


@translate_errors()
def compare_associations(
    *files: str | Path, k: Annotated[int, Ge(1)] = 10, progress: Progress = NO_PROGRESS
) -> Similarity:
    """Compute the mean Jaccard similarity of models' associations, as in the paper and without empty pairs.

    In the paper two models without any association for a noun agree on it. At small depths most nouns are such, so the
    second table leaves them out.

    Args:
        files: Table with one column per model, or one file of ``winoventi associations`` per model.
        k: Depth at which the rankings are cut, for files of one model each.
        progress: Progress callback.

    Returns:
        The models, and both similarities of each pair, the second with intervals.
    """
    paths = [Path(file) for file in files]
    if not paths:
        raise UserError("no file is given", fix="give a table with one column per model, or one file per model")
    table = read_k_file(paths[0]) if len(paths) == 1 else _table_of_files(paths, k, progress)
    columns = table.columns
    empty = [
        [sum(not (a or b) for a, b in zip(column, other, strict=True)) / len(table.nouns) for other in columns]
        for column in columns
    ]
    paper, informative = jaccard_table(columns), informative_table(columns, table.nouns)
    similarity = Similarity(
        table.models, tuple(map(tuple, paper)), tuple(map(tuple, empty)), tuple(map(tuple, informative))
    )
    progress.log(f"{len(table.nouns):,} nouns")
    return similarity


def _table_of_files(files: Sequence[Path], k: int, progress: Progress) -> KTable:
    """Join files of one model each, on the nouns that all of them have."""
    models = [(probe_name(path).removesuffix(".tsv"), read_associations(path)) for path in files]
    names = [name for name, _ in models]
    if len(set(names)) < len(names):
        raise UserError("two files have the same name", fix="name each after its model")
    asked = [{each.noun for each in found} for _, found in models]
    nouns = sorted(set.intersection(*asked))
    left_out = len(set.union(*asked)) - len(nouns)
    if not nouns:
        raise UserError("no noun has associations in all files", fix="use the same nouns for all models")
    if left_out:
        progress.log(f"{left_out:,} nouns are not in all files and are left out")
    return table_of(models, k, nouns)
