"""Views: the same question in another form, or none where that would change it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from horsesense.core import BLANK, FORMS, Form, Item, check_item, fill_blank, view
from tests.support.made_items import items

vocabulary = st.sampled_from(["ice", "is", "very", "cold", "hot,", "Zoë's", "a", "___", "e\u0301"])
sentences = st.lists(vocabulary, min_size=1, max_size=5).map(" ".join)
kept = ("probe", "premise", "answer", "ordered", "concepts", "family", "member", "groups", "facets", "source")


@st.composite
def likely(draw: st.DrawFn) -> Item:
    """Items whose options often share their beginning and end."""
    form: Form = draw(st.sampled_from(FORMS))
    options = tuple(draw(st.lists(sentences, min_size=1, max_size=4)))
    left, right = draw(sentences), draw(sentences)
    text = {"cloze": f"{left} {BLANK} {right}", "sentences": "", "choice": left, "pair": left}[form]
    if form == "sentences" and draw(st.booleans()):
        options = tuple(f"{left} {option} {right}" for option in options)
    return Item(probe="demo", form=form, premise="Given.", text=text, options=options, answer=0, family="f", member="a")


def sound(item: Item) -> bool:
    return BLANK not in item.text.replace(BLANK, "", 1)


anything = st.one_of(items(), likely()).filter(lambda item: item.form != "cloze" or sound(item))


@given(anything, st.sampled_from(FORMS))
def test_a_view_is_sound_and_keeps_all_but_the_wording(item: Item, form: Form) -> None:
    seen = view(item, form)
    if seen is None:
        assert form != item.form
        return
    assert seen.form == form
    assert len(seen.options) == len(item.options)
    assert [getattr(seen, name) for name in kept] == [getattr(item, name) for name in kept]
    check_item(seen)


@given(anything)
def test_the_same_form_is_the_item_itself(item: Item) -> None:
    assert view(item, item.form) is item


@given(anything)
def test_there_and_back_gives_the_same_sentences(item: Item) -> None:
    whole = view(item, "sentences")
    if whole is None:
        assert item.form == "pair"
        return
    cloze = view(whole, "cloze")
    if cloze is None:
        return
    back = view(cloze, "sentences")
    assert back is not None
    assert back.options == whole.options
    assert view(back, "cloze") == cloze


@given(anything)
def test_a_cloze_of_sentences_is_as_short_as_words_allow(item: Item) -> None:
    cloze = view(item, "cloze") if item.form == "sentences" else None
    if cloze is None:
        return
    firsts, lasts = ({o.split()[place] for o in cloze.options if len(o.split()) > 1} for place in (0, -1))
    single = any(len(o.split()) == 1 for o in cloze.options)
    assert single or (len(firsts) > 1 and len(lasts) > 1)


SEEN: list[tuple[Form, str, tuple[str, ...], Form, str | None, tuple[str, ...]]] = [
    ("cloze", "Ice is ___.", ("cold", "hot"), "sentences", "", ("Ice is cold.", "Ice is hot.")),
    ("cloze", "Ice is ___.", ("cold", "hot"), "choice", "Ice is", ("cold", "hot")),
    ("cloze", "___ is cold.", ("Ice", "Fire"), "choice", None, ()),
    ("cloze", "___", ("Ice", "Fire"), "choice", None, ()),
    ("choice", "Is ice cold?", ("yes", "no"), "sentences", "", ("Is ice cold? yes", "Is ice cold? no")),
    ("choice", "Is ice cold?", ("yes", "no"), "cloze", None, ()),
    ("sentences", "", ("Ice is cold.", "Fire is cold."), "cloze", "___ is cold.", ("Ice", "Fire")),
    ("sentences", "", ("It is cold.", "It is colder."), "cloze", "It is ___.", ("cold", "colder")),
    ("sentences", "", ("It is cold.", "It is colder."), "choice", "It is", ("cold", "colder")),
    ("sentences", "", ("Ice melts.", "Fire burns."), "cloze", None, ()),
    ("sentences", "", ("Ice melts.", "Fire burns."), "choice", None, ()),
    ("sentences", "", ("It is cold.", "It is not cold."), "cloze", "It is ___.", ("cold", "not cold")),
    ("sentences", "", ("It is cold", "It is cold today"), "cloze", "It is ___", ("cold", "cold today")),
    ("sentences", "", ("It is", "It is cold"), "cloze", "It ___", ("is", "is cold")),
    ("sentences", "", ("It melts.", "It melts."), "cloze", None, ()),
    ("sentences", "", ("It melts.",), "cloze", None, ()),
    ("sentences", "", ("The ___ is on.", "The ___ is off."), "cloze", None, ()),
    ("pair", "It melts.", ("yes", "no"), "sentences", None, ()),
    ("pair", "It melts.", ("yes", "no"), "choice", None, ()),
]


@pytest.mark.parametrize(("form", "text", "options", "seen_as", "expected", "expected_options"), SEEN, ids=str)
def test_written_out(
    form: Form,
    text: str,
    options: tuple[str, ...],
    seen_as: Form,
    expected: str | None,
    expected_options: tuple[str, ...],
) -> None:
    premise = "It is warm." if form == "pair" else ""
    seen = view(Item(probe="demo", form=form, premise=premise, text=text, options=options), seen_as)
    if expected is None:
        assert seen is None
    else:
        assert seen is not None
        assert (seen.text, seen.options) == (expected, expected_options)


def test_an_option_with_a_blank_of_its_own_is_only_put_in() -> None:
    assert fill_blank("Say ___ now.", "___") == "Say ___ now."
    cloze = Item(probe="demo", form="cloze", text="Say ___ now.", options=("___", "it"))
    assert view(cloze, "sentences") == replace(
        cloze, form="sentences", text="", options=("Say ___ now.", "Say it now.")
    )
