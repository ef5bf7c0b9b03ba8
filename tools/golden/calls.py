"""The calls whose results are golden, in order; later calls use files that earlier ones wrote."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.golden.inputs import AXIOM, REVERSED, fill_in_audit, fill_in_tasks

RENAMED: dict[str, str] = {}
"""What is called otherwise since the calls below were written; the only place to change after a rename.

A key is a command (``"annotate soundness new"``), an option of every command (``"--ways"``), an option of one command
(``"run --ways"``), or a value of an option (``"--ways options"``). The value is what to write instead; it may be
several words, or none.
"""


@dataclass(frozen=True)
class Call:
    """One call of the command line, and the files to record after it."""

    name: str
    """Piece and file name: ``builders/duals``."""
    command: str
    words: str = ""
    """Arguments as a shell would read them; ``{server}`` is the address of the recording server."""
    files: tuple[str, ...] = ()
    """Files, or folders with files, that it writes."""
    prepare: Callable[[Path], None] | None = None
    """Function that writes an input into the work folder before the call."""
    exits: tuple[int, ...] = (0,)
    """Exit codes that are expected."""

    @property
    def piece(self) -> str:
        return self.name.partition("/")[0]

    def line(self, server: str) -> list[str]:
        """Return the words after ``horsesense``, renamed."""
        words = RENAMED.get(self.command, self.command).split()
        option = ""
        for word in [*shlex.split(self.words.replace("{server}", server)), "--json"]:
            if word.startswith("-"):
                option = word
                words += RENAMED.get(f"{self.command} {word}", RENAMED.get(word, word)).split()
            else:
                renamed = RENAMED.get(f"{option} {word}") if option else None
                words += [word] if renamed is None else renamed.split()
                option = ""
        return words


def _built(name: str, command: str, words: str) -> Call:
    """Write a probe and record it."""
    out = f"out/{name}.jsonl"
    return Call(f"builders/{name}", command, f"{words} -o {out}", (out,))


_WORDNETQA = {"definitions": "--limit 400", "synonymy": "--limit 400", "hypernymy": "", "hyponymy": "--limit 200"}
_COLUMNS = "--columns question=q,options=a+b+c,answer=key"

BUILDERS = (
    *(_built(f"wordnetqa-{r}-0", "build wordnetqa", f"--relation {r} {few}") for r, few in _WORDNETQA.items()),
    *(_built(f"wordnetqa-{r}-1", "build wordnetqa", f"--relation {r} --limit 30 --seed 1") for r in _WORDNETQA),
    Call("builders/knowledge-tree", "knowledge add", "tree in/tree.tsv"),
    Call("builders/knowledge-dictionary", "knowledge add", "dictionary in/dictionary.tsv"),
    _built("wordnetqa-paper", "build wordnetqa", "--relation hypernymy --source tree --as-paper --options 3"),
    _built("wordnetqa-hops", "build wordnetqa", "--relation hypernymy --source tree --matched-hops --seed 1"),
    _built("dictionaryqa-0", "build dictionaryqa", "--limit 60"),
    _built("dictionaryqa-1", "build dictionaryqa", "--limit 30 --seed 1"),
    _built("dictionaryqa-paper", "build dictionaryqa", "--source dictionary --as-paper --options 3 --seed 1"),
    _built("rica-0", "build rica", ""),
    _built("rica-1", "build rica", "--strategy material --perturbation published --limit 120 --seed 1"),
    _built(
        "rica-sentences", "build rica", "--strategy animal --task sentences --entities letters --limit 120 --seed 1"
    ),
    _built("rica-entailment", "build rica", "--strategy grade --task entailment --limit 120 --background"),
    _built("rica-letters", "build rica", "--strategy material --task entailment --entities letters --limit 120"),
    *(_built(f"ladder-{n}-0", "build ladder", f"{n} --families 6") for n in ("steps", "polarity", "rarity")),
    *(_built(f"ladder-{n}-1", "build ladder", f"{n} --families 6 --seed 1") for n in ("steps", "polarity")),
    _built("import-winograd", "import", "winograd in/winograd.csv"),
    _built("import-cats-small", "import", "cats in/sets/general/wsc.txt"),
    _built("import-partwhole-small", "import", "partwhole in/triples.csv"),
    _built("partwhole-premises", "partwhole premises", "out/import-partwhole-small.jsonl"),
    _built("import-table", "import", f"table in/small.csv {_COLUMNS} --name small"),
    _built("conjunctions", "build conjunctions", "out/import-winograd.jsonl"),
    _built("duals-0", "build duals", "orders"),
    _built("duals-1", "build duals", "orders --per-method 10 --seed 1"),
    _built("winoventi-0", "build winoventi", "in/schemas.tsv"),
    _built("winoventi-1", "build winoventi", "in/schemas.tsv --unchecked --limit 4 --seed 1"),
    _built(
        "partwhole-0",
        "build partwhole",
        "--relationships in/relationships.json --attributes in/attributes.json --without parts",
    ),
    _built(
        "partwhole-1",
        "build partwhole",
        "--relationships in/relationships.json --attributes in/attributes.json --without parts --limit 2 --seed 1",
    ),
    *(
        Call(f"builders/{name}", "export", f"{name} --to hf --no-cues -o out/hf-{name}", (f"out/hf-{name}",))
        for name in ("starter", "winoventi-own", "partwhole-own")
    ),
    *(
        Call(f"builders/show-{name}", "show", f"{name} --samples 6 --seed 1")
        for name in ("starter", "winoventi-own", "partwhole-own")
    ),
    _built("import-cats", "import", "cats data/cats/commonsense_ability_test/wsc.txt"),
    _built("import-cats-robust", "import", "cats-robust data/cats/Robust_commonsense_test/add.txt"),
    _built("import-mcqa", "import", "mcqa data/mcqa/data_mcqa/hypernymy/test.jsonl.gz"),
    _built(
        "import-rica",
        "import",
        "rica data/rica/data/human_curated_set/eval_sentences.txt"
        " data/rica/data/human_curated_set/eval_sentences_m.txt data/rica/data/human_curated_set/config.txt",
    ),
    _built("import-winoventi", "import", "winoventi data/winoventi/data/winoventi_bert_large_final.tsv"),
    _built("import-partwhole", "import", "partwhole data/partwhole/data/annotated/dev.csv"),
    _built("conjunctions-wsc", "build conjunctions", "out/import-cats.jsonl"),
    _built("duals-wsc", "build duals", "out/import-cats.jsonl --per-method 20"),
    _built("rica-conceptnet", "build rica", "--no-shipped --conceptnet data/kb/conceptnet/test.txt --limit 120"),
    _built(
        "partwhole-corpus",
        "build partwhole",
        "--relation-counts data/kb/visual_genome/triple_counts.tsv"
        " --text data/kb/corpus/gutenberg/alices-adventures-in-wonderland.txt.gz --limit 40 --seed 1",
    ),
)

PROFILE = (
    Call("profile/quick", "profile", "-m guesser -m cue-reader --out out/quick", ("out/quick/profile.md",)),
    Call("profile/full", "profile", "-m guesser --full --out out/full"),
    Call(
        "profile/model",
        "profile",
        "-m models/llama_wide --limit 4 --ability everyday --ability kinds --ability exceptions --ability parts"
        " --ability inference --out out/profiled",
    ),
)

_CAUSAL = "-m models/gpt2 -m models/llama -m models/llama_bare"
_MASKED = "-m models/bert -m models/roberta"
_OTHERS = "-m models/xlnet -m models/bart -m models/t5"
_LEFT = "--spec truncation=left"
_PMI = "--format loglikelihood --format pmi"
_GENERATE = "--format letters --format generate"
_SMALL = "out/import-table.jsonl"
_TRIPLES = "out/import-partwhole-small.jsonl"


def _answered(name: str, words: str, *, tokens: bool = True) -> Iterator[Call]:
    """Ask models, then write their answers by item and, where there are any, by token."""
    run = f"out/answers-{name}"
    yield Call(f"answers/{name}", "run", f"{words} --out {run}")
    for rows in ("items", "tokens") if tokens else ("items",):
        out = f"{run}-{rows}.json"
        yield Call(f"answers/{name}-{rows}", "export-run", f"{run} --rows {rows} -o {out}", (out,))


ANSWERS = (
    *_answered("starter", f"{_CAUSAL} {_MASKED} {_OTHERS} -p starter --limit 8 {_LEFT}"),
    *_answered(
        "options",
        f"{_CAUSAL} {_MASKED} {_OTHERS} -m models/choice -p {_SMALL} {_PMI} {_LEFT}",
    ),
    *_answered("letters", f"-m models/gpt2 {_MASKED} -p {_SMALL} --format letters {_LEFT}", tokens=False),
    *_answered(
        "words", f"-m models/llama_wide -p {_SMALL} --format generate --spec shots=2,shots_from=all", tokens=False
    ),
    *_answered("cloze", f"-m models/gpt2 -m models/bert -m models/t5 -p winoventi-own --limit 8 --seed 1 {_LEFT}"),
    *_answered("pair", f"-m models/nli -m models/gpt2 -m models/bert -p out/rica-letters.jsonl --limit 8 {_LEFT}"),
    *_answered(
        "paper", "-p starter -m models/gpt2 -m models/bert --limit 4 --spec paper:cats,exact=true,truncation=left"
    ),
)

STATISTICS = (
    Call("statistics/run", "run", f"-m models/gpt2 -m models/bert -p starter -p {_SMALL} --out out/run {_LEFT}"),
    Call("statistics/other-run", "run", f"-m models/gpt2 -p starter --out out/other --normalise sum {_LEFT}"),
    Call("statistics/report", "report", "out/run --by task", ()),
    Call("statistics/report-md", "report", "out/run --format md --no-cues -o out/run.md", ("out/run.md",)),
    Call("statistics/report-latex", "report", "out/run --format latex --no-cues -o out/run.tex", ("out/run.tex",)),
    Call("statistics/report-csv", "export-run", "out/run -o out/run.csv", ("out/run.csv",)),
    Call("statistics/report-sum", "report", "out/answers-options --no-cues --normalise sum"),
    Call("statistics/compare", "compare", "out/run --items 2"),
    Call("statistics/compare-families", "compare", "out/answers-starter"),
    Call(
        "statistics/gate",
        "check-regression",
        "out/run --against out/other --margin 0.9 --summary out/gate.md --junit out/gate.xml",
        ("out/gate.md", "out/gate.xml"),
        exits=(0, 3, 4),
    ),
    Call("statistics/items", "items", "out/answers-starter"),
    Call(
        "statistics/withheld",
        "run",
        f"-m models/gpt2 -p {_SMALL} --withhold options --withhold question --wordings 3 --out out/withheld {_LEFT}",
    ),
    Call("statistics/cues", "cues", "starter --rounds 19 --all --out out/cue"),
    Call("statistics/cues-small", "cues", f"{_SMALL} --rounds 19 --splits 3 --seed 1 --group item"),
    Call("statistics/cues-wordnetqa", "cues", "out/wordnetqa-paper.jsonl --rounds 19 --splits 3 --all"),
    Call("statistics/harden", "harden", "starter -o out/hard.jsonl", ("out/hard.jsonl",)),
    Call("statistics/replicate", "replicate", "--data data --out out/replicated"),
)

_SERVED = f"-m openai:{{server}}#golden -p {_SMALL} --limit 4"
SERVED = (
    Call(
        "served/all",
        "run",
        f"{_SERVED} {_PMI} {_GENERATE} --out out/served-all",
    ),
    Call("served/auto", "run", f"{_SERVED} --out out/served-auto"),
    Call(
        "served/shots",
        "run",
        f"{_SERVED} {_GENERATE} --spec shots=2,shots_from=all,orders=2,system=Go. --out out/served-shots",
    ),
    Call(
        "served/reason",
        "run",
        f"{_SERVED} --format generate --spec reason=20,samples=2,temperature=0.5 --out out/served-reason",
    ),
    Call("served/score", "score", "-m openai:{server}#golden 'It rained.' --against 'It snowed.'"),
    Call("served/fill", "fill", "-m openai:{server}#golden 'Ice is ___.' --top 3"),
)

_RICA = "out/rica-1.jsonl"
_TABLES = ("train", "dev", "test", "original-dev", "original-test")
_SPLIT = "--train out/train.jsonl --dev out/dev.jsonl --test out/test.jsonl"
_VOTES = f"out/votes.jsonl -p {_TRIPLES}"


def _command(name: str, command: str, words: str = "", *files: str) -> Call:
    return Call(f"commands/{name}", command, words, files)


COMMANDS = (
    _command("score", "score", "-m models/gpt2 'It rained.' --against 'It snowed.'"),
    _command("fill", "fill", "-m models/bert 'Ice is ___.' --top 3"),
    _command("saliency", "saliency", "-m models/bert '{A} is [cold].' --method integrated --steps 4 --draws 2"),
    _command("verify", "verify", "out/run"),
    _command("show-item", "show", "out/run starter-14a53554203fda5a"),
    _command("fetch", "fetch"),
    _command("plugins", "plugins"),
    _command("knowledge-list", "knowledge list"),
    _command("plant", "plant", f"{_SMALL} -m models/llama_wide --cue professor --cue asterisk --limit 6"
             " --out out/planted"),
    _command("ladder", "ladder", "-m models/gpt2 --ladder steps --families 4 --seed 1 --out out/ladder"),
    _command("import-log", "import-log", "answers in/answers.csv --out out/logged"
             " --columns item=id,model=who,choice=said,options=options,gold=key"),
    _command("export-lm-eval", "export", "starter --to lm-eval -o out/lm-eval", "out/lm-eval"),
    _command("export-inspect", "export", f"{_SMALL} --to inspect --seed 1 -o out/inspect", "out/inspect"),
    _command("export-hf", "export", f"{_SMALL} --to hf --no-cues -o out/hf", "out/hf"),
    _command("baseline-majority", "baseline", f"majority --test {_TRIPLES} --train {_TRIPLES} --allow-overlap"
             " --out out/control"),
    _command("baseline-slot", "baseline", f"majority-per --slot part --test {_TRIPLES} --train {_TRIPLES}"
             " --allow-overlap"),
    _command("baseline-random", "baseline", f"random --test {_SMALL} --seeds 2 --against out/answers-letters"),
    _command("baseline-linear", "baseline", f"choice-only-linear --test {_SMALL} --train {_SMALL} --allow-overlap"
             " --vectors none --seeds 1"),
    _command("check", "wordnetqa check", "out/wordnetqa-paper.jsonl --source tree --all"),
    _command("wordnetqa-run", "run", f"-m models/gpt2 -p out/wordnetqa-paper.jsonl --limit 20 {_LEFT} --out out/hops"),
    _command("wordnetqa-analyse", "wordnetqa analyse", "out/hops"),
    _command("cats-suite", "suite", "cats -m models/gpt2 -m models/bert --data in/sets --out out/cats"),
    _command("cats-evidence", "cats evidence", "out/cats"),
    _command("cats-who", "cats who", "out/cats"),
    _command("cats-steps", "cats steps", "out/cats"),
    _command("partwhole-check", "partwhole check", "in/triples.csv"),
    _command("partwhole-recast", "partwhole recast", f"{_TRIPLES} --labels binary -o out/recast.jsonl",
             "out/recast.jsonl"),
    _command("partwhole-split", "partwhole split", f"{_TRIPLES} --out out/parts", "out/parts"),
    _command("partwhole-table", "partwhole table", "out/control --details"),
    _command("partwhole-gold", "partwhole gold", "in/agreed.csv --per-label 1 -o out/gold.jsonl", "out/gold.jsonl"),
    _command("partwhole-pictures", "partwhole pictures", f"{_TRIPLES} --relationships in/boxes.json"
             " --images in/images.json -o out/pictures.jsonl", "out/pictures.jsonl"),
    _command("rica-derive", "rica derive", f"'{AXIOM}'"),
    _command("rica-equivalent", "rica equivalent", f"'{AXIOM}' '{REVERSED}'"),
    _command("rica-lexicon", "rica lexicon"),
    _command("rica-release", "rica published", "in/axioms.jsonl"),
    _command("rica-recall", "rica recall", "in/axioms.jsonl"),
    _command("rica-controls", "rica controls", f"{_RICA} -o out/controls", "out/controls"),
    _command("rica-run", "run", f"-m models/gpt2 -p {_RICA} --out out/rica {_LEFT}"),
    _command("rica-analyse", "rica analyse", "out/rica"),
    _command("rica-views", "rica views", f"{_RICA} -m models/gpt2 --limit 8 {_LEFT} --out out/views"),
    _command("rica-study", "rica study", f"-m models/gpt2 -p {_RICA} --limit 8 {_LEFT} --out out/study-rica"),
    _command("rica-clues", "rica clues", f"{_RICA} -m models/bert --limit 2 --steps 2 --draws 2 {_LEFT}"),
    _command("winoventi-jaccard", "winoventi jaccard", "in/k.tsv"),
    _command("winoventi-associations", "winoventi associations", "in/nouns.txt -m models/bert"
             " --ranker models/gpt2 -o out/associations.tsv", "out/associations.tsv"),
    _command("winoventi-evaluate", "winoventi evaluate", "out/winoventi-0.jsonl -m models/bert --no-own"
             " --out out/evaluated"),
    _command("winoventi-splits", "winoventi splits", "out/import-winoventi.jsonl --setting full-exception"
             " --out out/splits", "out/splits"),
    _command("winoventi-calibrate", "winoventi calibrate", "in/registry.tsv"),
    _command("winoventi-make", "winoventi make", "in/nouns.txt -m models/bert --ranker models/gpt2"
             " --vectors none --stage none --write 6 --out out/pipeline", "out/pipeline"),
    _command("winoventi-status", "winoventi status", "out/pipeline"),
    _command("annotate-new", "annotate new", f"{_TRIPLES} --instrument partwhole --people 'ann, bo, cy' --limit 20"
             " -o out/tasks.csv", "out/tasks.csv"),
    Call("commands/annotate-collect", "annotate collect", "out/tasks.csv -o out/votes.jsonl", ("out/votes.jsonl",),
         fill_in_tasks),
    _command("annotate-status", "annotate status", _VOTES),
    _command("annotate-agreement", "annotate agreement", _VOTES),
    _command("annotate-performance", "annotate performance", _VOTES),
    _command("annotate-qualify", "annotate qualify", f"out/votes.jsonl --gold {_TRIPLES} --items 5"),
    _command("annotate-export", "annotate export", f"{_VOTES} --rule majority -o out/labels.jsonl", "out/labels.jsonl"),
    _command("annotate-apply", "annotate apply", f"{_TRIPLES} out/labels.jsonl -o out/applied.jsonl",
             "out/applied.jsonl"),
    _command("annotate-study", "annotate study", f"{_TRIPLES} --instrument partwhole --per-item 2 -o out/study"),
    _command("annotate-invite", "annotate invite", "out/study ann bo cy"),
    _command("annotate-pause", "annotate pause", "out/study ann"),
    _command("annotate-resume", "annotate resume", "out/study ann"),
    _command("annotate-codes", "annotate codes", "out/study"),
    _command("annotate-revoke", "annotate revoke", "out/study ann"),
    _command("annotate-withdraw", "annotate withdraw", "out/study bo"),
    _command("annotate-soundness-new", "audit new", f"{_SMALL} -o out/audit --limit 6 --seeded 3",
             "out/audit"),
    _command("audit-ask", "audit ask", "out/audit -m models/llama_wide -o out/lines.txt", "out/lines.txt"),
    Call("commands/annotate-soundness-second", "audit second", "out/audit out/audited.txt", (),
         fill_in_audit),
    _command("annotate-soundness-apply", "audit apply", "out/audit out/audited.txt --auditor one:people"),
    *(_command(f"import-{name}", "import", f"table in/{name}.csv {_COLUMNS} --name small -o out/{name}.jsonl")
      for name in _TABLES),
    _command("train", "train", f"-m models/choice {_SPLIT} --epochs 1 --seeds 1 --out out/trained"),
    _command("train-lora", "train", f"-m models/gpt2 {_SPLIT} --lora --epochs 1 --seeds 1 --out out/adapted"),
    _command("inoculate", "inoculate", f"-m models/choice {_SPLIT} --original-dev out/original-dev.jsonl"
             " --original-test out/original-test.jsonl --size 4 --learning-rate 5e-3 --step 2 --seed 0"
             " --out out/doses"),
    _command("cache-list", "cache list"),
    _command("cache-prune", "cache prune"),
)  # fmt: skip

CALLS: tuple[Call, ...] = (*BUILDERS, *PROFILE, *ANSWERS, *STATISTICS, *SERVED, *COMMANDS)

_PATH = r"out/[\w-]+"
_USED = re.compile(rf"\b{_PATH}")
_WRITTEN = re.compile(rf"(?:-o|--out|--summary|--junit) ({_PATH})")


def used_by(call: Call) -> set[str]:
    """Return the files and folders below ``out`` that a call names, without endings."""
    return set(_USED.findall(call.words))


def written_by(call: Call) -> set[str]:
    """Return the files and folders below ``out`` that a call writes, without endings."""
    return set(_WRITTEN.findall(call.words))


def chosen(only: tuple[str, ...]) -> list[Call]:
    """Return these calls, by piece or name (all, where none is named), and the calls that write what they use."""
    calls: list[Call] = []
    used: set[str] = set()
    for call in reversed(CALLS):
        if (
            not only
            or {call.piece, call.name} & set(only)
            or written_by(call) & used
            or call.command == "knowledge add"
        ):
            calls.append(call)
            used |= used_by(call)
    return calls[::-1]
