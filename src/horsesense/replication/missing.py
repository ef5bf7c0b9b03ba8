"""What is missing where a figure cannot be had here, and the command that would do it."""

from __future__ import annotations

from horsesense.methods.ledger import Figure
from horsesense.replication.asked import hub_name
from horsesense.replication.computing import RELEASES, pinned

_SETTINGS = {"100k": "noisy --number 100000", "1 entity": "high-resource --number 1"}
_ANALYSES = {
    ("winoventi", "section 3.4"): "horsesense winoventi evaluate winoventi.jsonl -m {model} --depths "
    "outcome_collection_cleaned.csv --out runs/evaluate",
    ("rica", "appendix C"): "horsesense rica clues rica.jsonl -m {model} --entities names --method smoothgrad",
}
"""Commands that look into a model's answers as a paper does."""
_VOTES = "the answers of people behind it, which were not released"


def what_is_missing(figure: Figure) -> tuple[str, str]:
    """For a figure that no way leads to: what is missing in words, and a command; either may be empty."""
    kind, _, which = figure.missing.partition(": ")
    if kind == "model":
        model = which or hub_name(figure.paper, figure.row)
        if not model:
            return f"the model {figure.row}, which the hub does not have as it was asked", ""
        if which:  # an analysis of a model's answers that is not a suite
            return f"the model {which}", _ANALYSES.get((figure.paper, figure.place), "").format(model=which.split()[0])
        return f"the model {model}", f"horsesense replicate {figure.paper} --model {model}"
    if kind == "training":
        return f"a training of {figure.row.rpartition(' / ')[2]}", _training(figure)
    if kind == "release":
        known = which in pinned(RELEASES[figure.paper])
        return f"the file {which} of the release", f"horsesense fetch {RELEASES[figure.paper]}" if known else ""
    if kind == "votes":
        return _VOTES, ""
    return which or figure.needs, ""


def _training(figure: Figure) -> str:
    if figure.paper == "rica":
        if not hub_name("rica", figure.row) or " / " not in figure.column:
            return ""
        setting, _, _ = figure.column.partition(" / ")
        number = setting.split()[0]
        chosen = _SETTINGS.get(setting) or (
            f"low-resource --number {number}" if setting.endswith("%") else f"high-resource --number {number}"
        )
        model = hub_name("rica", figure.row)
        files = "--train rica-train.jsonl --dev rica-eval.jsonl --test rica-test.jsonl"
        return f"horsesense train -m {model} --setting {chosen} {files} --out runs/rica"
    if figure.paper == "partwhole":
        if figure.row.startswith("GloVe"):
            return "horsesense baseline mlp --seeds 5 --train train.jsonl --test test.jsonl --out runs/mlp"
        model = "bert-base-uncased" if figure.row.startswith("BERT") else "openai-gpt"
        return f"horsesense train -m {model} --train train-pairs.jsonl --test test-pairs.jsonl --out runs/pairs"
    if figure.paper == "wordnetqa" and figure.place in ("table 7", "table 8"):
        return _questions(figure.row.partition(" / ")[2] or figure.row, figure.column.partition(" / ")[0])
    return ""


def _questions(row: str, name: str) -> str:
    """The command behind a row of WordNetQA's tables 7 and 8, for one of its sets."""
    files = f"--train {name}.jsonl:train --test {name}.jsonl:test"
    if row.startswith("Choice"):
        encoder = row.endswith(("BERT", "RoBERTa"))
        control = "choice-to-choice" if "to-Choice" in row else f"choice-only{'-encoder' * encoder}"
        return f"horsesense baseline {control} {files} --out runs/{control}"
    if row.startswith("Question-to-Choice"):
        return f"horsesense baseline question-to-choice {files} --out runs/question-to-choice"
    original = "--original-dev science.jsonl:dev --original-test science.jsonl:test"
    return f"horsesense inoculate -m SCIENCE {files} --dev {name}.jsonl:dev {original} --out runs/dose"
