"""Nouns, sentences, words and associations: odd lists told, rankings against brute force, the knee against geometry."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from horsesense.errors import UserError
from horsesense.methods.winoventi.associations import (
    ABOVE_KNEE,
    Association,
    common_words,
    drop_nonsense,
    knee,
    read_associations,
    select,
    shares,
    words_of_noun,
    write_associations,
)
from horsesense.methods.winoventi.elicitation import literal_word_of, word_of
from horsesense.methods.winoventi.nouns import (
    LITERAL,
    Noun,
    check_template,
    clean_nouns,
    prompts_for,
    read_nouns,
    wordnet_nouns,
)
from tests.support.small_wordnet import write_small_wordnet


def test_odd_entries_are_told_and_none_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "nouns.txt"
    path.write_text("# our kitchen\nKnife\nan apple\nTEST TUBE\njeans\nknife\nParis\nhot_dogs\n", encoding="utf-8")
    listed = read_nouns(path)
    assert [noun.word for noun in listed.nouns] == ["knife", "apple", "test tube", "jeans", "Paris", "hot dogs"]
    assert listed.odd == {
        "upper case lowered": ("Knife", "TEST TUBE"),
        "articles taken off": ("an apple",),
        "phrases": ("TEST TUBE", "hot_dogs"),
        'plurals, asked with "are"': ("jeans", "hot_dogs"),
        "repeated, asked once": ("knife",),
        "names, asked without an article": ("Paris",),
    }


def test_literal_nouns_keep_their_spelling() -> None:
    listed = clean_nouns(enumerate(["Jeans", "jeans", "Jeans"], start=1), as_paper=True)
    assert [(noun.word, noun.plural) for noun in listed.nouns] == [("Jeans", False), ("jeans", False)]
    assert listed.notes == {"repeated, asked once": 1}


@pytest.mark.parametrize(
    ("content", "message"),
    [("", "empty"), ("# nothing\n", "no noun"), ("cup\n42\n", ":2: '42' is not a noun"), ("a\tb\nc\td\n", "'Word'")],
)
def test_bad_lists(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "nouns.txt"
    path.write_text(content)
    with pytest.raises(UserError) as caught:
        read_nouns(path)
    assert message in str(caught.value)


def test_a_table_of_concepts(shared: Path) -> None:
    listed = read_nouns(shared / "data/winoventi/data/source/things_concepts.tsv")
    assert len(listed.nouns) + listed.notes["repeated, asked once"] == 1854


def test_nouns_of_wordnet(tmp_path: Path) -> None:
    listed = wordnet_nouns(write_small_wordnet(tmp_path))
    assert {"dog", "cat", "tool"} <= {noun.word for noun in listed.nouns}
    assert not {"andiron", "young person", "Laika"} & {noun.word for noun in listed.nouns}


def test_prompts_agree_with_the_noun_unless_literal() -> None:
    jeans = Noun("jeans", plural=True)
    assert prompts_for(jeans) == (
        ("The jeans are ___.", "The jeans are not ___."),
        ("The jeans are ___,", "The jeans are not ___,"),
    )
    assert prompts_for(jeans, LITERAL)[0] == ("The jeans is ___.", "The jeans is not ___.")
    template = "Every {noun} is {not}___ today."
    check_template(template)
    assert prompts_for(Noun("cup"), template) == (("Every cup is ___ today.", "Every cup is not ___ today."),)


@pytest.mark.parametrize("template", ["The cup is {not}___.", "The {noun} is ___.", "The {noun} is {not}so."])
def test_bad_templates(template: str) -> None:
    with pytest.raises(UserError):
        check_template(template)


def test_pieces_signs_and_letters_are_no_words() -> None:
    assert [word_of(token, "##") for token in ("hot", "##ter", "[MASK]", "a", "2nd")] == ["hot", "", "", "", ""]
    assert [word_of(token, "▁") for token in ("▁hot", "ter", "▁", "▁I")] == ["hot", "", "", ""]
    assert [literal_word_of(token) for token in ("##ter", "ter", "[MASK]", ".")] == ["", "ter", "[MASK]", ""]


def test_common_words_against_sets() -> None:
    draw = random.Random(5)
    words = [f"w{n}" for n in range(14)]
    for _ in range(50):
        rankings = [(draw.sample(words, 10), draw.sample(words, 10)) for _ in range(2)]
        least_depths = common_words(rankings, (1, 3, 5, 8, 10))
        for k in (1, 3, 5, 8, 10):
            wanted = set().union(*({*yes[:k]} & {*no[:k]} for yes, no in rankings))
            assert {word for word, depth in least_depths.items() if depth <= k} == wanted


def test_words_of_the_noun_itself() -> None:
    assert {"glass", "glasses"} <= words_of_noun(Noun("glasses", plural=True))
    assert "test" in words_of_noun(Noun("test tube"))


def test_knee_is_where_the_curve_is_furthest_below_its_chord() -> None:
    draw = random.Random(1)
    for _ in range(30):
        curve = sorted(draw.lognormvariate(4, 1) for _ in range(40))
        (x0, y0), (x1, y1) = (0, curve[0]), (39, curve[-1])
        # Distance from the chord as twice the area of a triangle: no scaling of the axes.
        areas = [(x1 - x0) * (y0 - y) - (x0 - x) * (y1 - y0) for x, y in enumerate(curve)]
        assert knee(draw.sample(curve, 40)) == areas.index(max(areas)) + 1
    assert knee([]) == 0
    assert knee([1, 2, 3, 4]) == 4


def test_selection_by_k_then_over_all() -> None:
    calm = [Association(f"n{n}", "hot", 1, float(10 + n)) for n in range(5)]
    wild = [Association("x", "hot", 1, 500.0), Association("y", "hot", 1, 900.0)]
    second = [Association(f"m{n}", "full", 3, float(12 + n)) for n in range(3)] + [Association("z", "full", 3, 300.0)]
    selection = select([*wild, *calm, *second])
    assert {each.noun for each in selection.associations if each.reason == ABOVE_KNEE} == {"x", "y", "z"}
    assert selection.knees == {1: 14.0, 3: 14.0}
    assert [each.perplexity for each in selection.kept] == [10.0, 11.0, 12.0, 13.0, 14.0, 12.0, 13.0, 14.0]
    assert select([*calm, *wild], most=100).last_knee is None


def test_nonsense_is_marked_not_lost() -> None:
    judged = drop_nonsense([Association("cup", "there", 1), Association("cup", "hot", 1)], None)
    assert [(each.kept, each.reason) for each in judged] == [(False, "a function word"), (True, "")]


def test_associations_round_trip(tmp_path: Path) -> None:
    associations = [Association("cup", "hot", 1, 12.5), Association("jar", "there", 3).dropped("a function word")]
    path = tmp_path / "a.tsv"
    write_associations(path, associations)
    assert read_associations(path) == associations
    assert shares(associations)[0] == ("hot", 1, 0.5)
    path.write_text("noun\tword\tk\ncup\thot\tdeep\n")
    with pytest.raises(UserError, match=":2: "):
        read_associations(path)
