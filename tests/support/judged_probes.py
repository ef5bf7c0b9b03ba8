"""A small probe and its people, for the tests of the room."""

from __future__ import annotations

from horsesense.core import Card, Item, Probe

LABELS = ("impossible", "unlikely", "unrelated", "probably", "guaranteed")


def choices(number: int = 4, answers: bool = True) -> Probe:
    """Questions with options of their own."""
    items = [
        Item(
            probe="demo",
            form="cloze",
            text=f"Thing {k} is ___.",
            options=(f"hot{k}", f"cold{k}"),
            answer=k % 2 if answers else None,
            groups={"noun": f"n{k // 2}"},
            facets={"kind": "even" if k % 2 == 0 else "odd"},
        )
        for k in range(number)
    ]
    return Probe.of(items, Card(name="demo", made="Made for a test.", group="noun"))


def triples(number: int = 3) -> Probe:
    """Part-whole questions that nobody has judged."""
    items = [
        Item(
            probe="pw",
            form="choice",
            text=f"If the box{k} is red, how likely is it that its lid is red?",
            options=LABELS,
            ordered=True,
            facets={"whole": f"box{k}", "part": "lid", "adjective": "red"},
        )
        for k in range(number)
    ]
    return Probe.of(items, Card(name="pw", group="family"))


def schemas(number: int = 2) -> Probe:
    """Pairs of premises, generic and exception."""
    items = []
    for k in range(number):
        for member, context, answer in (("generic", "stove", 1), ("exception", "fridge", 0)):
            items.append(
                Item(
                    probe="wv",
                    form="cloze",
                    text=f"Pan {k} was on the {context}. The pan is ___.",
                    options=("cold", "hot"),
                    answer=answer,
                    family=f"pan{k}",
                    member=member,
                    facets={"bias": "hot", "alternative": "cold", "context": context},
                )
            )
    return Probe.of(items, Card(name="wv"))
