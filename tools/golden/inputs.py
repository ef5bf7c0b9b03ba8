"""Input files for the calls: tiny models, tables in published formats, and files that people would fill in."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

from tests.support import made_corpora, made_trees, small_cats
from tests.support.tiny import TINY, save_tiny

AXIOM = "A is made out of glass and B is made out of stone, so A is more fragile than B"
REVERSED = "A is made out of glass and B is made out of stone, so B is less fragile than A"
_WAX = {
    "original": "Material(A, wax) and Material(B, iron), so More(soft(A), soft(B))",
    "asymmetric_premise": "Material(B, wax) and Material(A, iron), so Less(soft(A), soft(B))",
    "asymmetric_conclusion": "Material(A, wax) and Material(B, iron), so Less(soft(B), soft(A))",
    "negated": "Material(A, wax) and Material(B, iron), so not Less(soft(A), soft(B))",
    "negated_asymmetric_premise": "Material(B, wax) and Material(A, iron), so not More(soft(A), soft(B))",
    "negated_asymmetric_conclusion": "Material(A, wax) and Material(B, iron), so not More(soft(B), soft(A))",
}
_SCALE = ("impossible", "unlikely", "unrelated", "probably", "guaranteed")
_ADJECTIVES = ("old", "red", "tall", "wooden", "wet")
_OPTIONS = (("ice", "a stone", "iron"), ("rain", "dust", "a song"), ("butter", "a kettle", "glass"))
_WIDE = 1024
_SCHEMAS = """noun\tgeneric\texception\tpremise
stove\thot\tcold\tShe saw that the stove in the kitchen was [lit / broken] again.
coat\twet\tdry\tIt [rained / snowed] on the coat for an hour.
stone\theavy\tlight\tA [giant / child] threw the stone over the fence.
butter\tsoft\thard\tThe butter came from the [table / freezer].
bucket\tfull\tempty\tHe [filled / emptied] the bucket before lunch.
"""
_WINOGRAD = """text,pronoun,A,B,answer
The jug is on the shelf because it is full.,it,the jug,the shelf,A
The stone broke the pot since it was hard.,it,the stone,the pot,A
Ida thanked Ruth because she had helped.,she,Ida,Ruth,B
"""


def save_models(folder: Path) -> None:
    """Save the tiny models that are not there yet, and ``llama_wide``, which has room for long prompts."""
    for name in TINY:
        if not (folder / name).exists():
            save_tiny(name, folder / name)
    wide = folder / "llama_wide"
    if not wide.exists():
        shutil.copytree(folder / "llama", wide)
        config = json.loads((wide / "config.json").read_text("utf-8"))
        (wide / "config.json").write_text(json.dumps(config | {"max_position_embeddings": _WIDE}), "utf-8")
        rules = json.loads((wide / "tokenizer_config.json").read_text("utf-8"))
        template = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant:"
        (wide / "tokenizer_config.json").write_text(json.dumps(rules | {"chat_template": template}), "utf-8")


def write_inputs(folder: Path) -> None:
    """Write every input file into an empty folder."""
    folder.mkdir()
    for name, (first, count) in {"small": (0, 12), "train": (100, 20), "dev": (200, 8), "test": (300, 8)}.items():
        _write_questions(folder / f"{name}.csv", first, count)
    _write_questions(folder / "original-dev.csv", 400, 8)
    _write_questions(folder / "original-test.csv", 500, 8)
    triples = [f"thing{v % 9},piece{v % 7},{_ADJECTIVES[v % 5]},{v % 5},{int(v % 5 > 2)}" for v in range(60)]
    (folder / "triples.csv").write_text("\n".join(["whole,part,jj,label,bin_label", *triples]) + "\n", "utf-8")
    agreed = (f"thing{i},piece{i},old,{label},{label}\n" for i, label in enumerate(_SCALE))
    (folder / "agreed.csv").write_text("".join(agreed), "utf-8")
    (folder / "schemas.tsv").write_text(_SCHEMAS, "utf-8")
    (folder / "winograd.csv").write_text(_WINOGRAD, "utf-8")
    (folder / "nouns.txt").write_text("stone\nsongs\nfeather\numbrella\ncoat\nbutter\n", "utf-8")
    (folder / "k.tsv").write_text("Word\tone_common\tother_common\ncup\thot,full\tfull\njar\t\t\n", "utf-8")
    registry = [("bucket", "empty", "full"), ("door", "open", "closed"), ("pan", "hot", "cold")]
    rows = ["Word\tAssociative Bias\tAlternative\tBERT", *("\t".join((*row, "True")) for row in registry)]
    (folder / "registry.tsv").write_text("\n".join(rows) + "\n", "utf-8")
    answers = (f"{i},one,{'ABC'[i % 3]},ice|a stone|iron,{'ABC'[i % 2]}" for i in range(8))
    (folder / "answers.csv").write_text("\n".join(["id,who,said,options,key", *answers]) + "\n", "utf-8")
    axioms = json.dumps({name: [form, [""]] for name, form in _WAX.items()})
    (folder / "axioms.jsonl").write_text(axioms + "\n", "utf-8")
    box = {"x": 0, "y": 0, "w": 9, "h": 9}
    has = {"predicate": "has", "subject": {"name": "thing1", **box}, "object": {"name": "piece1", **box}}
    (folder / "boxes.json").write_text(json.dumps([{"image_id": 1, "relationships": [has]}]), "utf-8")
    (folder / "images.json").write_text(json.dumps([{"image_id": 1, "width": 9, "height": 9}]), "utf-8")
    made_corpora.relationships(folder / "relationships.json")
    made_corpora.attributes(folder / "attributes.json")
    made_trees.write_tree(folder / "tree.tsv")
    made_trees.write_dictionary(folder / "dictionary.tsv")
    small_cats.lay_all(folder / "sets")


def _write_questions(path: Path, first: int, count: int) -> None:
    """Write three-way questions with numbers of their own, so that no two tables share one."""
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(("q", "a", "b", "c", "key"))
        for number in range(first, first + count):
            writer.writerow((f"What melts {number + 2} times?", *_OPTIONS[number % 3], number * 7 % 3))


def fill_in_tasks(work: Path) -> None:
    """Answer a task file as three people would who differ now and then."""
    with (work / "out/tasks.csv").open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    for row in rows:
        strict = row["annotator"] == "cy"
        row["value"] = _SCALE[(len(row["question"]) + strict) % len(_SCALE)]
    with (work / "out/tasks.csv").open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def fill_in_audit(work: Path) -> None:
    """Call every first option true and all others false."""
    lines = (work / "out/audit/key.jsonl").read_text("utf-8").splitlines()
    answers = (f"{row['number']}\tT{'F' * (row['options'] - 1)}\n" for row in map(json.loads, lines))
    (work / "out/audited.txt").write_text("".join(answers), "utf-8")
