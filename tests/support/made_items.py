"""Items as hypothesis makes them: every form, any text that UTF-8 can hold, facets of each kind."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from horsesense.core import BLANK, FORMS, Form, Item, Reply, Source

ODD = [
    "\u2028",
    "\u2029",
    "\u0085",
    '"',
    "'",
    "\\",
    "\n",
    "\r\n",
    "\x00",
    "\ufeff",
    "é",
    "e\u0301",
    "🐎",
    "{{ x }}",
    "null",
]

text = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
    st.lists(st.sampled_from([*ODD, "ice", " ", "cold"]), max_size=5).map("".join),
)
words = text.filter(lambda t: bool(t.strip()))
no_blank = text.filter(lambda t: "_" not in t)
whole_numbers = st.integers(-(2**63) + 1, 2**63 - 1)
finite = st.floats(allow_nan=False, allow_infinity=False)

FACETS: dict[str, st.SearchStrategy[Any]] = {
    "task": text,
    "hops": whole_numbers,
    "Zipf frequency, é.1": finite,
    "asked": st.booleans(),
}
"""One kind of value a facet, as Parquet wants it."""


@st.composite
def sources(draw: st.DrawFn) -> Source:
    triples = draw(st.lists(st.tuples(text, text, text), max_size=2))
    return Source(
        file="release.tsv",
        line=draw(st.integers(0, 2**63 - 1)),
        id=draw(text),
        triples=tuple(triples),
        licence=draw(text),
    )


@st.composite
def items(draw: st.DrawFn) -> Item:
    form: Form = draw(st.sampled_from(FORMS))
    shown = {
        "cloze": no_blank.map(lambda t: f"{t}{BLANK}{t}"),
        "sentences": st.just(""),
        "choice": words,
        "pair": words,
    }
    options = tuple(draw(st.lists(words, min_size=1, max_size=4)))
    return Item(
        probe=draw(st.sampled_from(["demo", "my-probe", "v1.2_x"])),
        form=form,
        premise=draw(words if form == "pair" else text),
        text=draw(shown[form]),
        options=options,
        answer=draw(st.one_of(st.none(), st.integers(0, len(options) - 1))),
        ordered=draw(st.booleans()),
        concepts=draw(st.one_of(st.just(()), st.tuples(*[text for _ in options]))),
        family=draw(text),
        member=draw(text),
        groups=draw(st.dictionaries(text, text, max_size=3)),
        facets=draw(st.fixed_dictionaries({}, optional=FACETS)),
        source=draw(st.one_of(st.just(Source()), sources())),
    )


probes_of_items = st.lists(items(), min_size=1, max_size=6, unique_by=lambda item: item.id)


def made_reply(item: str, parsed: int | None, order: tuple[int, ...], sample: int = 0, text: str = "") -> Reply:
    """A reply by generation that names an option, or none."""
    return Reply(
        item=item,
        format="generate",
        order=order,
        sample=sample,
        prompt="What is it?",
        request="",
        sent="",
        text=text,
        reasoning="",
        outcome="answered" if parsed is not None else "empty",
        logprobs=(),
        bounded=(),
        parsed=parsed,
        why="boxed" if parsed is not None else "empty",
        finish="stop",
        prompt_tokens=1,
        tokens=2,
    )
