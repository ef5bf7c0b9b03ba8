"""Good files of every kind that a command or a reader takes, small and of our own making: what mutations begin with."""

from __future__ import annotations

import gzip
import io
import json
import shutil
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any

import numpy as np

from tests.support import made_corpora, made_sources
from tests.support.calling import lay, toy_lines
from tests.support.judged_probes import choices, triples
from tests.support.made_logs import choice_line, inspect_head, inspect_sample, write_eval, write_samples
from tests.support.made_schemas import made_probe
from tests.support.made_tasks import clozes, questions
from tests.support.made_trees import write_dictionary, write_tree
from tests.support.small_cats import lay_all
from tests.support.small_wordnet import write_small_wordnet
from tests.support.tiny import save_tiny

SEP = "\x01"
SIX = ["original", "negated", "asymmetric_premise", "asymmetric_conclusion"]
SIX += ["negated_asymmetric_premise", "negated_asymmetric_conclusion"]
AXIOM = {key: ["Wet(A), so More(soft(A), soft(B))", ["A is wet, so A is more soft than B"]] for key in SIX}
TRIPLE = {"whole": "box", "part": "lid", "jj": "red", "label": "4", "bin_label": "1"}
QUESTION: dict[str, Any] = {
    "id": "1",
    "question": {
        "stem": "'wren' is a type of",
        "choices": [{"text": "bird", "label": "0"}, {"text": "fish", "label": "1"}],
    },
    "answerKey": "0",
    "notes": {"gold_synset": "wren.n.01", "chain": "wren.n.01=>bird.n.01", "hops": 1},
}
TEXTS = {
    "sm.txt": f"1{SEP}we ate sand{SEP}we ate rice\n0{SEP}ice is cold{SEP}ice is hot\n",
    "add.txt": f"1{SEP}a{SEP}b{SEP}0{SEP}not a{SEP}not b\n",
    "sentences.txt": "wob is wet, so wob is more soft than zim\n",
    "mask_words.txt": "more\n",
    "config.txt": "['more', 'less']\n",
    "axioms.jsonl": json.dumps(AXIOM) + "\n",
    "winoventi.tsv": "Word\tAssociative Bias\tAlternative\tbiased_word_context\tadversarial_word_context\tmasked_prompt\t"
    "target\tincorrect\ttest_type\npan\thot\tcold\tstove\tfridge\tThe pan was on the stove. It is [MASK].\thot\tcold\t1\n",
    "partwhole.csv": "whole,part,jj,label,bin_label\r\nbox,lid,red,4,1\r\nbox,lid,blue,2,0\r\n",
    "nli.jsonl": json.dumps(TRIPLE | {"sentence1": "A red box.", "sentence2": "The box's lid is red."}) + "\n",
    "mcqa.jsonl": json.dumps(QUESTION) + "\n",
    "sciq.json": json.dumps([{"question": "What melts?", "correct_answer": "ice", "distractor1": "a", "distractor2": "b", "distractor3": "c", "support": ""}]),
    "arc.jsonl": json.dumps({"id": "a", "question": {"stem": "What melts?", "choices": [{"text": "ice", "label": "A"}, {"text": "iron", "label": "B"}]}, "answerKey": "A"}) + "\n",
    "winograd.xml": "<collection><schema><text><txt1>The cup fell off the shelf because</txt1><pron>it</pron><txt2>was loose.</txt2></text>"
    "<quote><quote1></quote1><pron>it</pron><quote2>was loose</quote2></quote><answers><answer>The cup</answer><answer>the shelf</answer></answers>"
    "<correctAnswer>B.</correctAnswer><source>x</source></schema></collection>",
    "statements.csv": "id,sent0,sent1\n1,He put a turkey in the fridge,He put an elephant in the fridge\n",
    "answers.csv": "1,1\n",
    "swag.csv": ",video-id,fold-ind,startphrase,sent1,sent2,gold-source,ending0,ending1,ending2,ending3,label\n0,a,1,He sits,He sits.,He,runs.,eats.,flies.,melts.,1\n",
    "hellaswag.jsonl": json.dumps({"ind": 1, "activity_label": "a", "ctx_a": "He sits.", "ctx_b": "he", "ctx": "He sits. he", "split": "val", "split_type": "indomain", "label": 0, "endings": ["runs.", "eats.", "flies.", "melts."], "source_id": "x"}) + "\n",
    "arct.tsv": "#id\twarrant0\twarrant1\tcorrectLabelW0orW1\treason\tclaim\tdebateTitle\tdebateInfo\n1\tit is so\tit is not so\t0\tbecause\twe should\tt\ti\n",
    "table.csv": "question,a,b,answer,id\nWhat is cold?,ice,fire,0,1\n",
    "table.tsv": "premise\thypothesis\tlabel\nIt rains.\tIt is wet.\ttrue\n",
    "nouns.txt": "stone\nsong\nkettle\n",
    "associations.tsv": "noun\tword\tk\ncup\thot\t1\ncup\tfull\t3\n",
    "k.tsv": "Word\tone_common\tother_common\ncup\thot,full\tfull\njar\t\t\n",
    "lexicon.tsv": "phrase\tantonym\tparaphrase\tinversion\nsoft\teasier: cut glass\tis a * cushion\tbetter: hammer\n",
    "vectors.txt": "ice 0.1 0.2 0.3\nstone 0.3 0.1 0.2\nkettle 0.2 0.2 0.1\n",
    "votes.csv": "whole,part,jj,result1,result2,result3\nbox,lid,red,guaranteed,guaranteed,probably\n",
    "words.txt": "red\nold\n# a remark\ntall\n",
    "list.json": json.dumps(["parrot", "mole", "cod"]),
    "judgements.csv": "item,annotator,instrument,value,reason,round,order,at\ni1,ann,choice,A,,1,1,\ni1,ben,choice,B,,1,1,\n",
    "labels.csv": "item,label,n,agreement,status,reason\ni1,A,2,1.0,settled,\n",
    "keys.json": json.dumps({"keys": [{"kty": "RSA", "kid": "a", "n": "AQAB", "e": "AQAB"}]}),
    "pictures.jsonl": json.dumps({"file": "a.jpg", "width": 6, "height": 4, "where": {"whole": "jeep"}, "boxes": []}) + "\n",
    "horsesense.toml": 'device = "cpu"\nmodels = ["smollm2"]\n[labels]\nbig = "x/y"\n',
}  # fmt: skip


def call(*words: object) -> None:
    """Run a command that makes a seed; one that cannot be made is left out."""
    from horsesense.cli import main

    with suppress(SystemExit), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        main([str(word) for word in words])


def plant(folder: Path) -> Path:
    """Write all seeds into a folder; what lies directly in it is one seed, a file or a folder."""
    from horsesense.core import write_probe

    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    lay(folder / "toy.jsonl", *toy_lines())
    for name, probe in (("choices", choices()), ("triples", triples()), ("schemas", made_probe()), ("clozes", clozes(8, 1)),
                        ("questions", questions(12, 1, True)), ("others", questions(6, 2, False))):  # fmt: skip
        write_probe(folder / f"{name}.jsonl", probe)
    write_probe(folder / "clozes.parquet", clozes(8, 1))
    write_probe(folder / "clozes.jsonl.gz", clozes(8, 1))
    made_sources.plain_conceptnet(folder / "plain_conceptnet.tsv")
    made_sources.official_conceptnet(folder / "conceptnet.csv")
    made_sources.official_atomic(folder / "atomic.csv")
    made_sources.preprocessed_atomic(folder / "atomic_preprocessed.json")
    made_corpora.relationships(folder / "relationships.json")
    made_corpora.attributes(folder / "attributes.json")
    made_corpora.ngrams(folder / "ngrams.tsv")
    made_corpora.text(folder / "corpus.txt")
    write_tree(folder / "tree.tsv")
    write_dictionary(folder / "dictionary.json")
    np.save(folder / "vectors.npy", np.zeros((3, 4), dtype=np.float32))
    with (folder / "table.csv.gz").open("wb") as handle:
        handle.write(gzip.compress((folder / "table.csv").read_bytes(), mtime=0))
    for name in ("gpt2", "bert", "choice"):
        save_tiny(name, folder / f"model-{name}")
    (folder / "cats").mkdir()
    lay_all(folder / "cats")
    call("run", "-m", folder / "model-gpt2", "-p", folder / "clozes.jsonl", "--out", folder / "run")
    call("baseline", "majority", "--train", folder / "clozes.jsonl", "--test", folder / "clozes.jsonl", "--allow-overlap", "--out", folder / "run-control")  # fmt: skip
    call("annotate", "study", folder / "choices.jsonl", "--instrument", "choice", "-o", folder / "study", "--address", "http://127.0.0.1:8000")  # fmt: skip
    call("annotate", "new", folder / "choices.jsonl", "--instrument", "choice", "-o", folder / "tasks.csv", "--people", "ann,ben")  # fmt: skip
    samples = write_samples(folder / "logs", "things", [choice_line(n) for n in range(4)])
    (folder / "samples_things.jsonl").write_bytes(samples.read_bytes())
    write_eval(folder / "log.eval", [inspect_sample(n) for n in range(3)])
    (folder / "log.json").write_text(json.dumps(inspect_head() | {"samples": [inspect_sample(0)]}), encoding="utf-8")
    (folder / "answers.jsonl").write_text('{"item": "1", "choice": "a", "gold": "b", "model": "m"}\n', encoding="utf-8")
    shutil.rmtree(folder / "model-gpt2" / "missing", ignore_errors=True)
    return folder


def small_world(folder: Path) -> dict[str, str]:
    """The variables under which no call leaves the folder: a cache of its own, a small WordNet, no network."""
    (folder / "cache").mkdir(parents=True)
    return {
        "HORSESENSE_CACHE": str(folder / "cache"),
        "WNHOME": str(write_small_wordnet(folder / "wordnet")),
        "HF_HUB_OFFLINE": "1",
        "HORSESENSE_DEVICE": "cpu",
    }


def files_of(seed: Path) -> Iterator[Path]:
    """The files of a seed."""
    if seed.is_file():
        yield seed
    else:
        yield from sorted(path for path in seed.rglob("*") if path.is_file() and path.name != ".lock")
