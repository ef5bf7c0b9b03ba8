"""The starter probe keeps its promises: balanced schemas that no cue answers."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest
from wordfreq import zipf_frequency

from horsesense.core import Item, check_item, read_probe, write_probe
from horsesense.errors import UserError
from horsesense.methods.starter.probe import STARTER, read_schemas, starter_probe

PROBE = starter_probe()
ITEMS = PROBE.items
NEGATIONS = re.compile(r"\b(?:no|not|none|nobody|nothing|never|neither|cannot)\b|n't\b|\b(?:un|im)\w+", re.IGNORECASE)
MOST = 0.58
"""What a cue may answer, in either direction."""


def words(text: str) -> list[str]:
    return re.findall(r"[\w'-]+", text.lower())


def stretch(item: Item, place: int) -> tuple[str, ...]:
    """The words in which one option differs from the other, found without the schema."""
    mine, other = words(item.options[place]), words(item.options[1 - place])
    while mine and other and mine[0] == other[0]:
        mine, other = mine[1:], other[1:]
    while mine and other and mine[-1] == other[-1]:
        mine, other = mine[:-1], other[:-1]
    return tuple(mine)


def families() -> dict[str, list[Item]]:
    by_family: dict[str, list[Item]] = defaultdict(list)
    for item in ITEMS:
        by_family[item.family].append(item)
    return by_family


def answer(item: Item) -> int:
    assert item.answer is not None
    return item.answer


def test_there_are_enough_items_in_every_domain() -> None:
    tasks = Counter(item.facets["task"] for item in ITEMS)
    assert set(tasks) == {"physical", "social", "temporal", "material", "numerical"}
    assert min(tasks.values()) >= 32
    assert len(ITEMS) >= 160
    assert len(set(tasks.values())) == 1, "domains weigh the same in the overall accuracy"


def test_every_domain_has_four_to_eight_skills() -> None:
    skills: dict[object, set[object]] = defaultdict(set)
    for item in ITEMS:
        skills[item.facets["task"]].add(item.facets["skill"])
    assert {task: len(names) for task, names in skills.items() if not 4 <= len(names) <= 8} == {}


def test_items_are_sound_and_say_where_they_come_from() -> None:
    lines = STARTER.read_text(encoding="utf-8").splitlines()
    for item in ITEMS:
        check_item(item)
        assert (item.form, item.premise, len(item.options)) == ("sentences", "", 2)
        assert item.facets["split"] == "test"
        assert item.source.licence == "Apache-2.0"
        assert lines[item.source.line - 1].startswith(f"- {item.family}: ")


def test_each_outcome_is_right_as_often_as_wrong() -> None:
    for name, family in families().items():
        right = Counter(stretch(item, answer(item)) for item in family)
        wrong = Counter(stretch(item, 1 - answer(item)) for item in family)
        assert right == wrong, name
        assert len(right) == 2, name
        assert sorted(item.member for item in family) == ["a", "b"], name


def test_premises_and_outcomes_differ_in_a_few_words() -> None:
    for name, family in families().items():
        first, second = (Counter(words(item.options[0])) for item in family)
        assert 1 <= max((first - second).total(), (second - first).total()) <= 4, name
        assert max(len(stretch(item, place)) for item in family for place in (0, 1)) <= 3, name


def test_the_right_answer_stands_first_half_the_time() -> None:
    for task in {item.facets["task"] for item in ITEMS}:
        places = [answer(item) for item in ITEMS if item.facets["task"] == task]
        assert 2 * sum(places) == len(places)


def test_the_member_does_not_tell_the_position() -> None:
    for task in [None, *{item.facets["task"] for item in ITEMS}]:
        firsts = [answer(item) for item in ITEMS if item.member == "a" and task in (None, item.facets["task"])]
        slack = 0.08 if task is None else 0.25
        assert abs(sum(firsts) / len(firsts) - 0.5) <= slack, task


def overlap(item: Item, place: int) -> float:
    """How many words of the option's own stretch stand elsewhere in the sentence too."""
    changed = stretch(item, place)
    rest = Counter(words(item.options[place])) - Counter(changed)
    return sum(rest[word] > 0 for word in changed)


def mean_frequency(item: Item, place: int) -> float:
    tokens = words(item.options[place])
    total: float = sum(zipf_frequency(word, "en") for word in tokens)
    return total / len(tokens)


CUES: dict[str, Callable[[Item, int], float]] = {
    "characters": lambda item, place: len(item.options[place]),
    "words": lambda item, place: len(words(item.options[place])),
    "negations": lambda item, place: len(NEGATIONS.findall(item.options[place])),
    "mean frequency": mean_frequency,
    "rarest word": lambda item, place: min(zipf_frequency(word, "en") for word in stretch(item, place)),
    "position": lambda item, place: place,
    "alphabet": lambda item, place: float(item.options[place] > item.options[1 - place]),
    "overlap": overlap,
}


@pytest.mark.parametrize("name", CUES)
def test_no_simple_cue_answers_it(name: str) -> None:
    right = 0.0
    for item in ITEMS:
        good, bad = (CUES[name](item, place) for place in (answer(item), 1 - answer(item)))
        right += 0.5 if good == bad else float(good > bad)
    accuracy = right / len(ITEMS)
    assert max(accuracy, 1 - accuracy) <= MOST


def test_no_text_is_repeated() -> None:
    texts = Counter(option.lower() for item in ITEMS for option in item.options)
    assert [text for text, times in texts.items() if times > 1] == []
    assert len({item.id for item in ITEMS}) == len(ITEMS)


@pytest.mark.parametrize(
    ("fault", "slip"),
    [
        (r"^[^A-Z]", "the coin sank."),
        (r"[^a-z]\.$|[^.]$|\..", "The coin sank"),
        (r"[^A-Za-z ,.'-]", "The coin sank_."),
        (r"  | ,|,\S|^ | $", "The coin  sank."),
        (r"\ba [aeio]|\ban (?!hour)[^aeiou]", "It is a apple."),
        (r"\b(\w+) \1\b", "The the coin sank."),
    ],
)
def test_sentences_are_written_properly(fault: str, slip: str) -> None:
    pattern = re.compile(fault, re.IGNORECASE if "w+" in fault else re.NOFLAG)
    assert pattern.search(slip)
    assert [option for item in ITEMS for option in item.options if pattern.search(option)] == []


def test_it_survives_a_file(tmp_path: Path) -> None:
    write_probe(tmp_path / "starter.jsonl", PROBE)
    again = read_probe(tmp_path / "starter.jsonl")
    assert list(again.items) == list(ITEMS)
    assert again.card == PROBE.card
    assert (again.card.normalise, again.card.group, again.card.seed) == ("mean", "family", None)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("## a\n### b\n- cup: The {cup|ball} fell.\n", "one premise and one outcome"),
        ("## a\n### b\n- cup: The {cup|ball} fell and {was|is} [lost|found].\n", "one premise and one outcome"),
        ("## a\n### b\n- cup: The {cup|ball} fell and [broke|].\n", "one premise and one outcome"),
        ("## a\n### b\n- cup: The {cup|ball|jar} [broke|bounced].\n", "one premise and one outcome"),
        ("## a\n### b\n- cup: The {cup|ball} [broke|bounced]]. \n", "one premise and one outcome"),
        ("## a\n- cup: The {cup|ball} [broke|bounced].\n", "not a schema"),
        ("## a\n### b\nThe {cup|ball} [broke|bounced].\n", "not a schema"),
        ("## a\n### b\n- cup: A {b|c} [d|e].\n- cup: F {g|h} [i|j].\n", "in line 3"),
    ],
)
def test_a_bad_schema_is_told_with_its_line(tmp_path: Path, text: str, problem: str) -> None:
    file = tmp_path / "schemas.md"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=problem) as error:
        read_schemas(file)
    assert error.value.line == len(text.splitlines())
    assert error.value.file == str(file)


def test_a_new_schema_leaves_the_others_as_they_are(tmp_path: Path) -> None:
    text = STARTER.read_text(encoding="utf-8")
    file = tmp_path / "schemas.md"
    file.write_text(text.replace("\n- plate:", "\n- tyre: The tyre was {full|flat}, so it [rolled|dragged].\n- plate:"))
    before, after = read_schemas(STARTER), read_schemas(file)
    assert len(after) == len(before) + 1
    assert [s.order() for s in after if s.name != "tyre"] == [s.order() for s in before]
