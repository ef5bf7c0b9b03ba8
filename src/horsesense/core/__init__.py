"""Records that all stages share: items, probes, cards, answers, specs; their files and checks."""

from horsesense.core.answer import Answer, Fill, Reply
from horsesense.core.card import Card, HumanFigure, add_human_figures, card_path, probe_name
from horsesense.core.item import BLANK, FIXED_FACETS, FORMS, Facet, Form, Item, Source, check_item
from horsesense.core.item_file import item_from_dict
from horsesense.core.judgements import (
    Judgement,
    JudgementLine,
    Label,
    iter_judgements,
    read_labels,
    write_judgements,
    write_labels,
)
from horsesense.core.probe import Probe, check_group, read_probe, write_probe
from horsesense.core.spec import PRESETS, ScoringSpec, parse_spec, spec_from_dict
from horsesense.core.views import fill_blank, view

__all__ = [
    "BLANK",
    "FIXED_FACETS",
    "FORMS",
    "PRESETS",
    "Answer",
    "Card",
    "Facet",
    "Fill",
    "Form",
    "HumanFigure",
    "Item",
    "Judgement",
    "JudgementLine",
    "Label",
    "Probe",
    "Reply",
    "ScoringSpec",
    "Source",
    "add_human_figures",
    "card_path",
    "check_group",
    "check_item",
    "fill_blank",
    "item_from_dict",
    "iter_judgements",
    "parse_spec",
    "probe_name",
    "read_labels",
    "read_probe",
    "spec_from_dict",
    "view",
    "write_judgements",
    "write_labels",
    "write_probe",
]
