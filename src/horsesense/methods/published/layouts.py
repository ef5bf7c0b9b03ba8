"""Roles of the columns of a table: a map by the user, or a well-known layout that is recognised by its columns.

Each layout is that of its dataset on the Hugging Face Hub; any table with the same columns is read the same way.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from horsesense.errors import UserError, argument, unknown

ROLES = (
    "question", "options", "second", "keys", "answer", "premise", "family", "member", "id", "task", "facet", "group",
    "item",
)  # fmt: skip
"""What a column can be; ``options`` (or a whole ``item``) is needed. Several columns of options, facets or groups are
joined by ``+``; ``a&b`` is the text of two columns in one; ``keys`` are what the answer calls the options. ``second``
are the options of a second item from the same row, with the same answer: both are a family."""
SEVERAL = ("options", "second", "keys", "facet", "group")

_FIX = f"write it like {argument('columns')} question=stem,options=a+b+c,answer=key"


@dataclass(frozen=True, slots=True)
class TableLayout:
    """How the columns of a known data set are mapped."""

    name: str
    """What it is called, for people."""
    needs: tuple[str, ...]
    """Columns that identify it; a dotted one is inside another."""
    columns: str
    """The map, as a user would write it."""


LAYOUTS = (
    TableLayout(
        "an export of horsesense",
        ("id", "form", "options", "answer", "item"),
        "item=item",
    ),
    TableLayout(
        "HellaSwag",
        ("ctx", "endings", "label", "activity_label"),
        "premise=ctx,options=endings,answer=label,facet=activity_label+split_type,group=source_id,id=ind",
    ),
    TableLayout(
        "OpenBookQA", ("choices.text", "choices.label", "answerKey", "question_stem"),
        "question=question_stem,options=choices.text,keys=choices.label,answer=answerKey,id=id",
    ),
    TableLayout(
        "CommonsenseQA", ("choices.text", "choices.label", "answerKey", "question", "question_concept"),
        "question=question,options=choices.text,keys=choices.label,answer=answerKey,group=question_concept,id=id",
    ),
    TableLayout(
        "ARC", ("choices.text", "choices.label", "answerKey", "question"),
        "question=question,options=choices.text,keys=choices.label,answer=answerKey,id=id",
    ),
    TableLayout("PIQA", ("goal", "sol1", "sol2", "label"), "question=goal,options=sol1+sol2,answer=label"),
    TableLayout(
        "SIQA", ("context", "question", "answerA", "answerB", "answerC", "label"),
        "premise=context,question=question,options=answerA+answerB+answerC,keys==1+2+3,answer=label",
    ),
    TableLayout(
        "WinoGrande", ("sentence", "option1", "option2", "answer"),
        "question=sentence,options=option1+option2,keys==1+2,answer=answer",
    ),
    TableLayout(
        "COPA", ("premise", "choice1", "choice2", "label", "question"),
        "premise=premise,options=choice1+choice2,answer=label,facet=question,id=idx",
    ),
    TableLayout(
        "BLiMP", ("sentence_good", "sentence_bad", "UID"),
        "options=sentence_good+sentence_bad,answer==0,task=UID,facet=field+linguistics_term,id=pair_id",
    ),
    TableLayout(
        "EWoK", ("Domain", "Context1", "Context2", "Target1", "Target2"),
        "options=Context1&Target1+Context2&Target1,second=Context2&Target2+Context1&Target2,answer==0,task=Domain,"
        "facet=ContextType+ContextDiff+TargetDiff,group=ConceptA",
    ),
    TableLayout(
        "COMPS", ("prefix_acceptable", "prefix_unacceptable", "property_phrase", "acceptable_concept"),
        "options=prefix_acceptable&property_phrase+prefix_unacceptable&property_phrase,answer==0,id=id,"
        "facet=negative_sample_type+distraction_type+condition,group=property",
    ),
    TableLayout(
        "good and bad sentences", ("sentence_good", "sentence_bad"), "options=sentence_good+sentence_bad,answer==0"
    ),
    TableLayout(
        "MMLU", ("question", "choices", "answer", "subject"),
        "question=question,options=choices,answer=answer,task=subject",
    ),
    TableLayout(
        "questions with choices", ("question", "choices", "answer"),
        "question=question,options=choices,answer=answer",
    ),
    TableLayout(
        "BoolQ", ("question", "passage", "answer"),
        "premise=passage,question=question,options==no+yes,answer=answer",
    ),
    TableLayout(
        "BoolQ", ("question", "passage", "label"),
        "premise=passage,question=question,options==no+yes,answer=label",
    ),
    TableLayout(
        "StrategyQA or another yes-or-no set", ("question", "answer"),
        "question=question,options==no+yes,answer=answer",
    ),
)  # fmt: skip
"""The most particular first: the first whose columns are all there is taken."""


def guessed(columns: Collection[str]) -> TableLayout | None:
    """The well-known layout with these columns; dotted names are fields inside a column.

    >>> guessed(["goal", "sol1", "sol2", "label"]).name
    'PIQA'
    """
    return next((layout for layout in LAYOUTS if all(name in columns for name in layout.needs)), None)


def parse_map(text: str) -> dict[str, str]:
    """The columns of ``--map``; a value that begins with ``=`` is the value itself, not a column.

    >>> parse_map("question=stem, options=a+b, answer==0")
    {'question': 'stem', 'options': 'a+b', 'answer': '=0'}
    """
    columns: dict[str, str] = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        role, equals, column = (piece.strip() for piece in part.partition("="))
        if not equals or not column.lstrip("="):
            raise UserError(f"{part!r} in {argument('columns')} is not of the form role=column", fix=_FIX)
        if role not in ROLES:
            raise unknown(f"role in {argument('columns')}", role, ROLES)
        if role in columns:
            raise UserError(f"{argument('columns')} gives {role!r} twice", fix=_FIX)
        columns[role] = column
    if "options" not in columns and "item" not in columns:
        raise UserError(f"{argument('columns')} does not say where the options are", fix=_FIX)
    return columns
