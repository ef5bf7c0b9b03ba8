"""Part-whole adjectives as triples and as inference, on rows of our own."""

from __future__ import annotations

import json
from pathlib import Path

from horsesense.methods.partwhole.dataset import LABELS
from horsesense.methods.published import read_files


def test_a_triple_is_a_question_on_a_scale(tmp_path: Path) -> None:
    path = tmp_path / "dev.csv"
    path.write_bytes(b'whole,part,jj,label,bin_label\r\nwaxen tub,rim,waxen,4,1\r\n"cup, tall",tea,tall,2,1\r\n')
    probe = read_files("partwhole", [path])
    item = probe.items[0]
    assert (item.form, item.ordered, item.options[item.answer or 0]) == ("choice", True, "guaranteed")
    assert all(word in item.text for word in ("waxen tub", "rim"))
    assert item.groups == {"whole": "waxen tub", "part": "rim", "adjective": "waxen"}
    assert item.facets == {"whole": "waxen tub", "part": "rim", "adjective": "waxen", "binary": 1, "split": "dev"}
    assert probe.items[1].facets["whole"] == "cup, tall"
    assert probe.card.notes == {"CRLF line ends": 3, "label and bin_label disagree": 1}
    assert probe.card.group == "whole"


def test_the_inference_format_is_a_pair(tmp_path: Path) -> None:
    row = {
        "whole": "box",
        "part": "rim",
        "jj": "waxen",
        "sentence1": " A waxen tub\u00e2\u0080\u0099s lid. ",
        "sentence2": "The tub's rim is waxen.",
    }
    path = tmp_path / "nli_style_test.jsonl"
    path.write_text(
        json.dumps(row | {"label": "3", "bin_label": "1"}) + "\n" + json.dumps(row | {"label": 0, "bin_label": 0})
    )
    probe = read_files("partwhole-nli", [path])
    first, second = probe.items
    assert (first.form, first.premise, first.text) == (
        "pair",
        "A waxen tub\u00e2\u0080\u0099s lid.",
        "The tub's rim is waxen.",
    )
    assert (first.answer, second.answer, first.options) == (3, 0, LABELS)
    assert first.facets["split"] == "test"
    assert probe.card.notes == {
        "items asked elsewhere with another key": 2,
        "no final newline": 1,
        "premises with damaged characters, kept": 2,
        "texts with outer spaces": 2,
    }
