"""WinoVenti: associations and their overlap, the collection step by step, the benchmark, people, released results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from horsesense.core import Item
from horsesense.data.tables import COMMAS, TABS, Layout, open_table
from horsesense.lexicons.words import words
from horsesense.methods.ledger import printed
from horsesense.methods.published.reading import read_votes
from horsesense.methods.winoventi.associations import jaccard_table, read_k_file, read_registry
from horsesense.methods.winoventi.published_dataset import BENCHMARK, read_winoventi, read_winoventi_answers
from horsesense.methods.winoventi.schemas import pairs_of, premise_of, third_of, word_differences
from horsesense.replication.computing import PublishedFiles, Results, computes
from horsesense.replication.paper_models import paper_models
from horsesense.replication.verdicts import Basis, Computed, binomial, share_of

_CROWD = "data/assets/crowdsourcing"
_OUTCOMES = f"{_CROWD}/outcome_collection/outcome_collection"
_CHECKED = f"{_CROWD}/evaluation_collection"
_FINE_TUNING = "data/assets/finetune/winoventi"
_REGISTRY = "data/assets/associativebias_registry.tsv"
_RESULTS = "analysis/finetuning/results/pretrained_results.tsv"
_AGGREGATED = "analysis/challenges/assets/output_aggregated.tsv"
_ALIKE = 1e-6
_INTERSECTION = 229
"""Schemas that the percentages of the released Intersection are counts of."""
SCHEMAS = 2176
"""Schemas of the whole release: what a count on a part is scaled to."""
K_NAMES = {"RoBERTa-small": "RoBERTa_small", "BERT-base": "BERT_base", "BERT-large": "BERT_large"} | {
    f"ALBERT-{size}": f"ALBERT_{size}" for size in ("base", "large", "xlarge", "xxlarge")
} | {"RoBERTa-large": "RoBERTa_large", "RoBERTa-base": "RoBERTa_small"}  # fmt: skip
"""Models of the paper as its files of associations call them; others are called as in the paper."""
HUB = {each.row: each.hub for each in paper_models() if each.paper == "winoventi"}
"""Models of table 6 as the registry calls them."""


def _rows(path: Path, layout: Layout = TABS) -> list[dict[str, str]]:
    table = open_table(path, layout)
    return [dict(zip(table.header, cells, strict=False)) for _, cells in table.rows]


@computes("winoventi", "things")
def things(files: PublishedFiles) -> Results:
    """Concepts of THINGS and their categories."""
    rows = _rows(files.path("data/source/things_concepts.tsv"), Layout("\t", quoted=True))
    kinds = {kind for row in rows for kind in row["Bottom-up Category (Human Raters)"].split(",") if kind.strip()}
    kinds = {kind.strip() for kind in kinds}
    return {
        "concepts": Computed(len(rows), "data", len(rows)),
        "categories": Computed(len(kinds), "data", len(rows), reason=f"bottom-up categories: {len(kinds)}"),
    }


@computes("winoventi", "jaccard")
def jaccard(files: PublishedFiles) -> Results:
    """Overlap of the associations of each model with those of BERT-large (table 4)."""
    figures: dict[str, Computed] = {}
    rows: dict[int, dict[str, float]] = {}
    for k in (1, 3, 5):
        table = read_k_file(files.path(f"data/assets/k_analysis/things_k{k}.tsv"))
        all_pairs = jaccard_table(table.columns)
        with_large = all_pairs[table.models.index("BERT_large")]
        rows[k] = dict(zip(table.models, with_large, strict=True))
        released = {row["models"]: row for row in _rows(files.path(f"analysis/jaccard/assets/jaccard_k{k}.tsv"))}
        for name in (*HUB, "RoBERTa-small"):
            called = K_NAMES.get(name, name)
            same = abs(float(released[called]["BERT_large"]) - rows[k][called]) < _ALIKE
            reason = f"as in the published jaccard_k{k}.tsv" if same else ""
            figures[f"{name} | k={k}"] = Computed(rows[k][called], "data", len(table.nouns), reason=reason)
        if k == 1:
            others = [value for row, line in enumerate(all_pairs) for value in line[:row]]
            figures["others | mean k=1"] = Computed(sum(others) / len(others), "data", len(table.nouns))
    base = [row["BERT_base"] for row in rows.values()]
    reason = f"{', '.join(f'{value:.2f}' for value in base)} at k = 1, 3, 5; MobileBERT is nearer at k = 1"
    figures["BERT-base | mean"] = Computed(sum(base) / len(base), "data", reason=reason)
    return figures


@computes("winoventi", "associations")
def associations(files: PublishedFiles) -> Results:
    """Share of ALBERT-xxlarge predicting "adjustable"; the text does not state k."""
    shares = {}
    for k in (1, 3, 5, 8):
        table = read_k_file(files.path(f"data/assets/k_analysis/things_k{k}.tsv"))
        counts = Counter(word for cell in table.columns[table.models.index("ALBERT_xxlarge")] for word in cell)
        shares[k] = counts["adjustable"] / counts.total() * 100, counts.total()
    k = min(shares, key=lambda k: abs(shares[k][0] - 41))
    reason = "k is not reason: " + ", ".join(f"{share:.1f} at {depth}" for depth, (share, _) in shares.items())
    return {"adjustable": Computed(shares[k][0], "data", shares[k][1], reason=reason)}


@computes("winoventi", "outcomes")
def outcomes(files: PublishedFiles) -> Results:
    """Pairs that workers were shown, by depth, and what they threw out."""
    raw = _rows(files.path(f"{_OUTCOMES}_raw.csv"), COMMAS)
    cleaned = _rows(files.path(f"{_OUTCOMES}_cleaned.csv"))
    worker = next(iter(raw[0]))
    figures = {f"k={k}": Computed(sum(row["min_k"] == str(k) for row in raw), "data", len(raw)) for k in (1, 3, 5, 8)}
    thrown = (len(raw) - len(cleaned)) / len(raw) * 100
    return figures | {
        "pairs": Computed(len(raw), "data", len(raw)),
        "nonsense": Computed(thrown, "data", len(raw)),
        "workers": Computed(len({row[worker] for row in raw}), "data", len(raw)),
    }


@computes("winoventi", "registry")
def registry(files: PublishedFiles) -> Results:
    """Triplets before the adversarial filter, and after it."""
    path = files.path(_REGISTRY)
    triplets = len(_rows(path))
    count = len(read_registry(path)[HUB["BERT-large"]])
    return {"triplets": Computed(triplets, "data", triplets), "BERT-large": Computed(count, "data", triplets)}


@computes("winoventi", "contexts")
def contexts(files: PublishedFiles) -> Results:
    """Premises that workers wrote."""
    count = len(_rows(files.path(f"{_CROWD}/context_collection/context_collection_raw.csv"), COMMAS))
    return {"collected": Computed(count, "data", count, reason=f"{count:,} here")}


@computes("winoventi", "validation")
def validation(files: PublishedFiles) -> Results:
    """Published results of step 3, and the number of people who judged a schema."""
    totals = {row["criteria"]: int(row["value"]) for row in _rows(files.path(f"{_CHECKED}/aggregate_evaluation.csv"))}
    votes = [files.path(f"{_CHECKED}/{name}_evaluation_collection_raw.csv") for name in ("prev", "rest")]
    judged = Counter(each.item for each in read_votes("winoventi-schemas", votes).judgements)
    often = Counter(judged.values())
    reason = (
        f"each of the {len(judged):,} schemas at hand was judged by two people, and dropped where both object alike"
    )
    return {
        "posted": Computed(totals["total"], "the authors' published results"),
        "failed": Computed(totals["failed_gen"], "the authors' published results"),
        "votes": Computed(often.most_common(1)[0][0], "data", len(judged), enough=True, reason=reason),
    }


# The benchmark.


@cache
def _benchmark(path: Path) -> tuple[Item, ...]:
    return tuple(read_winoventi([path]).items)


def _items(files: PublishedFiles) -> Sequence[Item]:
    return _benchmark(files.path(f"data/{BENCHMARK}"))


def _scaled(count: int, here: int, whole: int = SCHEMAS) -> Computed:
    """A count on a part, scaled to the whole release, with a binomial interval; as it is where all is at hand."""
    if here == whole:
        return Computed(count, "data", here)
    low, high = binomial(min(count, here), here)
    reason = f"{count:,} of {here:,} here"
    return Computed(count / here * whole, "data", here, low * whole, high * whole, reason=reason)


@computes("winoventi", "benchmark")
def benchmark(files: PublishedFiles) -> Results:
    """Schemas, nouns, generic words, premises and the position of their special word (section 2.7)."""
    items = _items(files)
    families = pairs_of(items)
    schemas = len(families)
    of_noun: dict[str, set[str]] = {}
    for item in items:
        of_noun.setdefault(item.groups["noun"], set()).add(item.groups["generic_word"])
    lengths, thirds = [], Counter[str]()
    for pair in families.values():
        premises = [premise_of(pair[test].text) for test in ("generic", "exception")]
        lengths += [len(words(premise)) for premise in premises]
        apart = word_differences(*premises)
        if len(apart) == 1:
            thirds[third_of(premises[0], apart[0].spans[0][0])] += 1
    reason = f"{schemas:,} schemas here"
    figures = {
        "schemas": Computed(schemas, "data", schemas, reason=reason),
        "prompts": Computed(len(items), "data", len(items), reason=f"{len(items):,} prompts here"),
        "nouns": Computed(len(of_noun), "data", schemas, reason=reason),
        "generic words": Computed(len(set().union(*of_noun.values())), "data", schemas, reason=reason),
        "most generic words": Computed(max(map(len, of_noun.values())), "data", schemas, reason=reason),
        "length of a premise": Computed(sum(lengths) / len(lengths), "data", len(lengths), reason=reason),
        "guessing": Computed(50.0, "data", len(items), enough=True),
    }
    return figures | {
        f"{third} third": share_of(count, thirds.total(), reason="by characters") for third, count in thirds.items()
    }


def size_behind(shares: Sequence[float]) -> int:
    """The least number of items that exact shares can be whole counts of; 0 where there is none.

    >>> size_behind([390 / 428, 81 / 428]), size_behind([0.5, 0.25])
    (428, 4)
    """
    for n in range(1, SCHEMAS + 1) if shares else ():
        if all(abs(share * n - round(share * n)) < _ALIKE for share in shares):
            return n
    return 0


@computes("winoventi", "individual")
def individual(files: PublishedFiles) -> Results:
    """Schemas whose triplet a model prefers the generic word of (N of table 6), by the registry."""
    families = {item.family for item in _items(files)}
    triplets = [" | ".join(family.split(" | ")[:3]) for family in families]
    prefers = read_registry(files.path(_REGISTRY))
    rows = {row["model"]: row for row in _rows(files.path(_RESULTS))}
    figures = {}
    for model, hub in HUB.items():
        counted = _scaled(sum(triplet in prefers[hub] for triplet in triplets), len(triplets))
        shares = [float(rows[hub][f"indi_{test}"]) / 100 for test in ("generic", "exception")] if hub in rows else []
        size, reason = size_behind(shares), printed("winoventi", "table 6", model, "individual N")
        if size and reason % size:
            odd = f"the released percentages of Individual are counts of {size} or a multiple, not of {reason:.0f}"
            counted = replace(counted, reason="; ".join(filter(None, (counted.reason, odd))))
        figures[model] = counted
    return figures


@computes("winoventi", "people")
def people(files: PublishedFiles) -> Results:
    """One person per item (table 6)."""
    path = f"{_CROWD}/human_performance_collection/human_evaluation_cleaned.csv"
    votes = read_winoventi_answers([files.path(path)])
    items = {item.id: item for item in votes.probe.items}
    figures = {}
    for test in ("generic", "exception"):
        judged = [each for each in votes.judgements if items[each.item].member == test]
        right = sum(items[e.item].options[items[e.item].answer or 0] == e.value for e in judged)
        figures[test] = share_of(right, len(judged), reason=f"{right:,} of {len(judged):,} here")
    return figures


@computes("winoventi", "splits")
def splits(files: PublishedFiles) -> Results:
    """Texts of the fine-tuning files (section 3.3), scaled to the whole release."""
    prompts = len(_items(files))
    table = files.path(f"data/{BENCHMARK}")

    def texts(name: str) -> Counter[str]:
        return Counter(item.member for item in read_winoventi([files.path(f"{_FINE_TUNING}/{name}.txt"), table]).items)

    half = {part: texts(f"both_generic_exception/{part}") for part in ("train", "test")}
    full = {part: texts(f"only_exception/{part}") for part in ("train", "test")}
    mixed = texts("only_exception/both-generic-exception-test")
    generics = texts("only_exception/only-generics-test")
    exceptions = full["train"].total() + full["test"].total()
    return {
        "half train": _scaled(half["train"].total(), prompts, 2 * SCHEMAS),
        "half train generic": _scaled(half["train"]["generic"], prompts, 2 * SCHEMAS),
        "half train generic share": share_of(half["train"]["generic"], half["train"].total()),
        "half test generic share": share_of(half["test"]["generic"], half["test"].total()),
        "full train share": share_of(full["train"].total(), exceptions),
        "full test share": share_of(full["test"].total(), exceptions),
        "full test": _scaled(full["test"].total(), prompts, 2 * SCHEMAS),
        "mixed test": _scaled(mixed.total(), prompts, 2 * SCHEMAS),
        "all generics": _scaled(generics.total(), prompts, 2 * SCHEMAS),
    }


@computes("winoventi", "released")
def released(files: PublishedFiles) -> Results:
    """The authors' own results for the whole dataset, as published: not recomputed."""
    rows = {row["model"]: row for row in _rows(files.path(_RESULTS))}
    aggregated = {row["model_name"]: row for row in _rows(files.path(_AGGREGATED))}
    names = {"all": "all", "individual": "indi", "intersection": "intersect"}
    basis: Basis = "the authors' published results"
    figures: dict[str, Computed] = {}
    for model, hub in HUB.items():
        for subset, column in names.items():
            for test in ("generic", "exception"):
                if hub in rows:
                    share = float(rows[hub][f"{column}_{test}"])
                    reason = f"{share * _INTERSECTION / 100:.0f} of {_INTERSECTION}" if subset == "intersection" else ""
                    figures[f"{model} | {subset} {test}"] = Computed(share, basis, reason=reason)
        row: Mapping[str, str] | None = aggregated.get(K_NAMES.get(model, model))
        if row is not None:
            reason = "output_aggregated.tsv, which is of an earlier pass for some models"
            figures[f"{model} | N"] = Computed(float(row["num_itself_1"]), basis, reason=reason)
    (size,) = {int(row["num_intersection_1"]) for row in aggregated.values()}
    reason = "output_aggregated.tsv; the percentages of table 6 are counts of 229"
    figures["intersection"] = Computed(size, basis, reason=reason)
    figures["intersection twice"] = Computed(2 * size, basis, reason=reason)
    return figures
