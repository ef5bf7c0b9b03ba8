"""DictionaryQA: other senses first, only senses with an example, nothing given away."""

from __future__ import annotations

from collections import Counter

import pytest

from horsesense.cues import measure_cues
from horsesense.errors import UserError
from horsesense.lexicons.gcide import find_gcide
from horsesense.lexicons.graph import Graph, load_graph
from horsesense.lexicons.sources import add_file, open_graph
from horsesense.methods.wordnetqa.dictionaryqa import DictionaryPlan, dictionaryqa_probe
from horsesense.methods.wordnetqa.plan import first_of_each_split
from tests.support.made_trees import write_dictionary


@pytest.fixture(scope="module")
def dictionary(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    folder = tmp_path_factory.mktemp("dictionary")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HORSESENSE_CACHE", str(folder / "cache"))
        add_file("small", write_dictionary(folder / "small.tsv"))
        return load_graph("small")


@pytest.mark.parametrize("as_paper", [True, False])
def test_other_senses_come_first_and_all_have_examples(dictionary: Graph, as_paper: bool) -> None:
    probe = dictionaryqa_probe(dictionary, DictionaryPlan(as_paper=as_paper, options=4))
    assert probe.items
    for item in probe.items:
        word = item.groups["word"]
        senses = [name for name in item.concepts if name.startswith(f"{word}.")]
        # Each word has two senses with an example and one without.
        assert sorted(senses) == [f"{word}.n.1", f"{word}.n.2"]
        assert all(dictionary.examples[dictionary.number[name]] for name in item.concepts)
        assert item.facets["fillers"] == 2
        assert f"'{word}s'" in item.text
        assert item.answer is not None
        assert item.options[item.answer] == dictionary.definitions[dictionary.number[str(item.facets["asked"])]]


def test_a_word_stays_in_one_split(dictionary: Graph) -> None:
    splits: dict[str, set[object]] = {}
    for item in dictionaryqa_probe(dictionary, DictionaryPlan(options=3, as_paper=True, limit=40)).items:
        splits.setdefault(item.groups["word"], set()).add(item.facets["split"])
    assert all(len(names) == 1 for names in splits.values())
    assert set().union(*splits.values()) == {"train", "dev", "test"}


def test_a_default_set_has_all_splits(real: Graph) -> None:
    """GCIDE has fewer clear senses than the paper has questions: by the paper's sizes, all would be train."""
    probe = dictionaryqa_probe(real, DictionaryPlan())
    counts = Counter(str(item.facets["split"]) for item in probe.items)
    assert 0.8 < counts["train"] / counts["dev"] < 1.25
    assert counts["test"] > len(probe.items) / 10


@pytest.mark.parametrize("limit", [1, 7, 20, 40, 100])
def test_a_limit_leaves_each_split_its_share(limit: int) -> None:
    sizes = {"train": 30, "dev": 30, "test": 10}
    pairs = [(n, split) for split, size in sizes.items() for n in range(size)]
    kept = first_of_each_split(pairs, limit, lambda pair: pair[1])
    assert len(kept) == min(limit, len(pairs))
    for split, size in sizes.items():
        assert abs(sum(name == split for _, name in kept) - size * min(limit, 70) / 70) < 1


def test_too_few_senses_are_told(dictionary: Graph) -> None:
    with pytest.raises(UserError, match="gives no question with 90 options"):
        dictionaryqa_probe(dictionary, DictionaryPlan(options=90))


@pytest.fixture(scope="module")
def real() -> Graph:
    if find_gcide() is None:
        pytest.skip("GCIDE is not on this machine (horsesense fetch gcide)")
    return open_graph("gcide")


def test_no_cue_gives_the_real_one_away(real: Graph) -> None:
    probe = dictionaryqa_probe(real, DictionaryPlan(limit=600))
    assert len(probe.items) > 400
    assert probe.card.notes["import: senses: damaged"] > 1000
    for item in probe.items:
        assert len(set(item.options)) == 5
        assert not any(mark in text for mark in "{}[]" for text in (*item.options, item.text))
    for cue in measure_cues(probe.items, "word", splits=2, rounds=19).cues:
        assert cue.accuracy.value <= 0.30, cue.pick
