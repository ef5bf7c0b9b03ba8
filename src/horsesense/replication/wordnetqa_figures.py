"""WordNetQA: sizes of the published datasets, their files, people's answers, and what follows from tables 4 to 8."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path

from horsesense.core import Item
from horsesense.errors import UserError
from horsesense.methods.ledger import figures_at
from horsesense.methods.wordnetqa.dataset import read_mcqa
from horsesense.replication.computing import AbsentError, PublishedFiles, Results, computes
from horsesense.replication.consistency import STRICT_ROWS
from horsesense.replication.verdicts import Basis, Computed, drawn, share_of

_FOLDERS = {"dictionary": "dictionary_qa"}
_SETS = ("definitions", "synonymy", "hypernymy", "hyponymy")
_TRAINED_ON = ("definitions", "hypernymy", "synonymy")
_HAVE_TEST = ("hypernymy", "hyponymy", "dictionary")
_OWN: Basis = "the paper's own rows"


@cache
def _read(path: Path) -> tuple[Item, ...]:
    return tuple(read_mcqa([path]).items)


def _items(files: PublishedFiles, name: str, part: str) -> tuple[Item, ...]:
    return _read(files.path(f"data_mcqa/{_FOLDERS.get(name, name)}/{part}.jsonl"))


@computes("wordnetqa", "sets")
def sets(files: PublishedFiles) -> Results:
    """Questions of the published datasets, their options, distractors and hops."""
    figures: dict[str, Computed] = {}
    tests = {name: _items(files, name, "test") for name in _HAVE_TEST}
    reason = ", ".join(f"{name} {len(items):,}" for name, items in tests.items())
    for name, items in tests.items():
        figures[f"{name} test"] = Computed(len(items), "data", len(items), reason=reason)
    trained = {name: _items(files, name, "train") for name in _TRAINED_ON}
    (size,) = {len(items) for items in trained.values()}
    figures["train"] = Computed(size, "data", size)
    every = [item for part in (*tests.values(), *trained.values()) for item in part]
    (options,) = {len(item.options) for item in every}
    hops = [int(item.facets["hops"]) for item in every if "hops" in item.facets]
    over = sum(count > 5 for count in hops)
    (of_dictionary,) = {len(item.options) for item in tests["dictionary"]}
    return figures | {
        "options": Computed(options, "data", len(every)),
        "options dictionary": Computed(of_dictionary, "data", len(tests["dictionary"])),
        "distractors": Computed(options - 1, "data", len(every)),
        "most hops": Computed(
            max(hops), "data", len(hops), reason=f"{over:,} of {len(hops):,} questions have more than 5"
        ),
        "sets": Computed(len({*tests, *trained}), "data"),
        "of WordNet": Computed(len({*tests, *trained} - {"dictionary"}), "data"),
    }


@computes("wordnetqa", "people")
def people(files: PublishedFiles) -> Results:
    """The answer that is published with each question of the checked test sets (table 7)."""
    figures = {}
    for name in _HAVE_TEST:
        judged = [item for item in _items(files, name, "test") if "people_right" in item.facets]
        right = sum(bool(item.facets["people_right"]) for item in judged)
        figures[name] = share_of(
            right, len(judged), reason=f"{right:,} of {len(judged):,}: the vote kept with each question"
        )
    return figures


@computes("wordnetqa", "guessing")
def guessing(files: PublishedFiles) -> Results:
    """What a pick by lot among five earns on the questions of a checked test set (table 7)."""
    figures = {}
    for name in _HAVE_TEST:
        n = len(_items(files, name, "test"))
        low, high = drawn(0.2, n)
        figures[f"{name} test"] = Computed(20.0, "data", n, low * 100, high * 100, reason="a pick by lot among five")
    return figures


# PublishedFiles of knowledge.


def _concepts(source: str) -> tuple[int, int]:
    """Concepts of a source, and those with an example."""
    from horsesense.lexicons.sources import open_graph

    try:
        graph = open_graph(source)
    except UserError:
        raise AbsentError(f"the knowledge source {source}", f"horsesense fetch {source}") from None
    return len(graph), sum(bool(examples) for examples in graph.examples)


@computes("wordnetqa", "wordnet")
def wordnet(files: PublishedFiles) -> Results:
    """Synsets of WordNet 3.0, and those with examples (section 3.1)."""
    concepts, examples = _concepts("wordnet")
    return {
        "synsets": Computed(concepts, "data", concepts),
        "with examples": Computed(examples, "data", concepts),
    }


@computes("wordnetqa", "gcide")
def gcide(files: PublishedFiles) -> Results:
    """Senses of GCIDE, and those with examples (section 3.2); the paper's edition and its cutting are not reason."""
    concepts, examples = _concepts("gcide")
    reason = "senses in our edition, as read here; the paper states neither the edition nor what counts as an entry"
    return {
        "entries": Computed(concepts, "data", concepts, reason=reason),
        "with examples": Computed(examples, "data", concepts, reason=reason),
    }


# What follows from other rows.


_table = partial(figures_at, "wordnetqa")


@computes("wordnetqa", "clusters")
def clusters(files: PublishedFiles) -> Results:
    """Questions a concept (table 4)."""
    figures = {}
    for row, cells in _table("table 4").items():
        if "with perturbations" in cells:
            size = cells["with perturbations"].number / cells["concepts"].number
            reason = (
                f"{size:.2f}: the printed figure is rounded up" if -(-size // 1) == cells["cluster size"].number else ""
            )
            figures[row.lower()] = Computed(size, _OWN, int(cells["concepts"].number), reason=reason)
    return figures


@computes("wordnetqa", "science")
def science(files: PublishedFiles) -> Results:
    """Questions of the science sets together (table 6)."""
    rows = _table("table 6")
    parts = [
        figure.number
        for row, cells in rows.items()
        for column, figure in cells.items()
        if column != "N" and not row.startswith("Science Collection")
    ]
    return {"total": Computed(sum(parts), _OWN, len(parts))}


@computes("wordnetqa", "differences")
def differences(files: PublishedFiles) -> Results:
    """Strict accuracy minus accuracy (table 8), from tables 7 and 8."""
    figures = {}
    for row, rows in STRICT_ROWS.items():
        for name in _SETS:
            strict = _table("table 8")[row][f"{name} / strict"]
            accuracy = _table("table 7")[rows[name]][f"{name} / dev"]
            value, slack = strict.number - accuracy.number, (strict.step + accuracy.step) / 2
            reason = f"{strict.value} less {accuracy.value} in table 7"
            figures[f"{row} | {name}"] = Computed(value, _OWN, None, value - slack, value + slack, reason=reason)
    return figures


@computes("wordnetqa", "costs")
def costs(files: PublishedFiles) -> Results:
    """What inoculation on synonymy costs on the science sets, as table 7 has it."""
    table = _table("table 7")
    costs = {
        model: table[f"group 4 / {model}"]["synonymy / inoculation cost"] for model in ("ESIM-GloVe", "BERT", "RoBERTa")
    }
    return {model: Computed(-cost.number, _OWN, reason=f"table 7 has {cost.value}") for model, cost in costs.items()}


@computes("wordnetqa", "gaps")
def gaps(files: PublishedFiles) -> Results:
    """How far the best models are below people, and BERT from RoBERTa."""
    table = _table("table 7")
    best = table["group 4 / RoBERTa"]
    below = [
        table["people"][f"{name} / test"].number - best[f"{name} / test"].number for name in (*_SETS, "dictionary")
    ]
    pairs = [
        abs(table[f"group {group} / BERT"][column].number - table[f"group {group} / RoBERTa"][column].number)
        for group in (3, 4)
        for column in best
        if column in table[f"group {group} / BERT"] and not column.endswith("cost")
    ]
    near = sum(pair <= 5 for pair in pairs)
    reason = f"{near} of {len(pairs)} pairs of figures in groups 3 and 4 are within 5; the furthest are this much apart"
    return {
        "lowest": Computed(min(below), _OWN, len(below)),
        "highest": Computed(max(below), _OWN, len(below)),
        "BERT and RoBERTa": Computed(max(pairs), _OWN, len(pairs), reason=reason),
    }


@computes("wordnetqa", "gains")
def gains(files: PublishedFiles) -> Results:
    """The best science model without training on a probe, less the best model without a transformer trained on it."""
    table = _table("table 7")
    lstm = ("group 2 / Question-to-Choice-GloVe", "group 2 / Question-to-Choice-ELMO")
    over = {
        f"{name} / {part}": table["group 3 / RoBERTa"][f"{name} / {part}"].number
        - max(table[row][f"{name} / {part}"].number for row in lstm)
        for name in (*_SETS, "dictionary")
        for part in ("dev", "test")
    }
    most = max(over, key=over.__getitem__)
    return {"over the LSTM": Computed(over[most], _OWN, len(over), reason=f"the most is {over[most]:.1f}, on {most}")}


@computes("wordnetqa", "strict drops")
def strict_drops(files: PublishedFiles) -> Results:
    """The smallest and the largest drop of the best model from accuracy to strict accuracy."""
    drops = [-_table("table 8")["RoBERTa"][f"{name} / difference"].number for name in _SETS]
    reason = "RoBERTa's; BERT's largest is 45.4"
    return {
        "lowest": Computed(min(drops), _OWN, len(drops)),
        "highest": Computed(max(drops), _OWN, len(drops), reason=reason),
    }


@computes("wordnetqa", "arithmetic")
def arithmetic(files: PublishedFiles) -> Results:
    """Concepts with an error are those that are not wholly right."""
    strict = _table("table 8")["RoBERTa"]["definitions / strict"].number
    return {"concepts with errors": Computed(100 - strict, _OWN)}


@computes("wordnetqa", "wrong name")
def wrong_name(files: PublishedFiles) -> Results:
    """Section 5.1 discusses choice-to-choice models; such figures are under choice-only in table 7."""
    table = _table("table 7")
    values = [table[f"group 1 / Choice-Only-{name}"]["hypernymy / dev"].number for name in ("BERT", "RoBERTa")]
    reason = "table 7 has them as Choice-Only-BERT and Choice-Only-RoBERTa, on the development set"
    return {"choice-to-choice on hypernymy": Computed(min(values), _OWN, reason=reason)}
