"""The pipeline with tiny models: what it asks, that it resumes, and what its evaluation says, against brute force."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from math import exp
from pathlib import Path

import pytest
import torch

import horsesense as hs
from horsesense.core import Item, Probe, ScoringSpec, read_probe
from horsesense.errors import UserError
from horsesense.methods.winoventi import checks, circumstances, elicitation, word_relations
from horsesense.methods.winoventi.elicitation import Elicitation, ask_associations, perplexities, spellable
from horsesense.methods.winoventi.evaluation import EMPTY, MAIN, Background, run_all, score_answers
from horsesense.methods.winoventi.measures import PRIOR, strongest
from horsesense.methods.winoventi.nouns import Noun
from horsesense.methods.winoventi.pipeline import run_pipeline
from horsesense.methods.winoventi.plan import read_plan
from horsesense.methods.winoventi.schemas import CheckedSchema, Schema, Triplet, parse_premise
from horsesense.methods.winoventi.writer_and_judge import write_premise_pairs
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.hf.load import load_model
from horsesense.progress import Progress
from horsesense.runs.tasks import Settings
from horsesense.scoring.option_scores import answer_items
from tests.support import ROOT
from tests.support.made_plan import make_plan, people_have_answered
from tests.support.made_schemas import SCHEMAS, made_probe

SPEC = ScoringSpec()


class Listener(Progress):
    def __init__(self) -> None:
        self.heard: list[str] = []

    def log(self, text: str) -> None:
        self.heard.append(text)


@pytest.fixture(autouse=True)
def no_wordnet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_relations, "find_wordnet", lambda: None)
    monkeypatch.setattr(circumstances, "find_wordnet", lambda: None)


def test_literal_associations_against_the_whole_vocabulary(tiny_folders: dict[str, Path]) -> None:
    model = load_model(str(tiny_folders["bert"]), device="cpu")
    nouns = [Noun("stone"), Noun("songs", plural=True)]
    by_noun = ask_associations(model, nouns, Elicitation(as_paper=True))

    def best(text: str) -> list[str]:
        ids = model.tokenizer(text, return_tensors="pt")["input_ids"]
        with torch.inference_mode():
            row = model.network(ids).logits[0, ids[0].tolist().index(model.tokenizer.mask_token_id)]
        order = row[: len(model.tokenizer)].argsort(descending=True)
        tokens = model.tokenizer.convert_ids_to_tokens(order.tolist())
        return [token for token in tokens if "#" not in token and len(token) > 1]

    for noun, associations in zip(nouns, by_noun, strict=True):
        for k in (1, 3, 5, 8, 10):
            wanted: set[str] = set()
            for end in ".,":
                sides = (best(f"The {noun.word} is {no}[MASK]{end}")[:k] for no in ("", "not "))
                wanted |= set.intersection(*map(set, sides))
            assert {each.word for each in associations if each.k <= k} == wanted


def test_a_causal_model_is_asked_where_the_blank_ends_the_sentence(tiny_folders: dict[str, Path]) -> None:
    model = load_model(str(tiny_folders["gpt2"]), device="cpu")
    assert len(ask_associations(model, [Noun("stone")], Elicitation())) == 1
    inside = Elicitation(template="The {noun} was {not}___ by noon.")
    assert ask_associations(model, [Noun("stone")], inside)[0], "what follows is scored with each word"


def test_nouns_that_cannot_be_spelt_are_told(tiny_folders: dict[str, Path]) -> None:
    model = load_model(str(tiny_folders["bert"]), device="cpu")
    known, strange = spellable(model, [Noun("stone"), Noun("дом")], SPEC)
    assert ([noun.word for noun in known], [noun.word for noun in strange]) == (["stone"], ["дом"])
    with pytest.raises(UserError, match="can spell none of the nouns"):
        elicitation.associate(model, None, [Noun("дом")], Elicitation())


def test_perplexity_is_that_of_the_network(tiny_folders: dict[str, Path]) -> None:
    model = load_model(str(tiny_folders["gpt2"]), device="cpu")
    (perplexity,) = perplexities(model, [(Noun("songs", plural=True), "wet")], SPEC)
    start = model.tokenizer.convert_tokens_to_ids("<|endoftext|>")
    ids = torch.tensor([[start, *model.tokenizer("The songs are wet.")["input_ids"]]])
    with torch.inference_mode():
        loss = model.network(ids, labels=ids).loss
    assert perplexity == pytest.approx(exp(float(loss)), rel=1e-4)
    with pytest.raises(UserError, match="not a causal model"):
        perplexities(load_model(str(tiny_folders["bert"]), device="cpu"), [], SPEC)


def test_evaluation_against_scores_asked_one_by_one(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    probe, names = made_probe(), [str(tiny_folders[name]) for name in ("bert", "gpt2")]
    answered = run_all(names, probe, tmp_path / "run", Settings(cache=False, device="cpu"))
    evaluations = score_answers(answered, Background({("stove", "hot"): 1}, {names[0]: {("stove", "hot"): 3}}))
    passing = []
    for name, evaluation, parts in zip(names, evaluations, answered, strict=True):
        model = load_model(name, device="cpu")
        right = {item.id: holds for item, holds in _right(model, probe)}
        priors = {item.family: holds for item, holds in _right(model, parts[PRIOR].probe)}
        families = {schema.name: priors[schema.triplet.name] for schema in SCHEMAS}
        passing.append({family for family, holds in families.items() if holds})
        for name_of, members in (("all", set(families)), ("individual", passing[-1])):
            subset = next(each for each in evaluation.subsets if each.subset == name_of)
            assert subset.schemas == len(members)
            for test in ("generic", "exception") if members else ():
                credits = [right[item.id] for item in probe.items if item.member == test and item.family in members]
                assert getattr(subset, test).value == pytest.approx(sum(credits) / len(credits))
    shared = next(each for each in evaluations[0].subsets if each.subset == "intersection")
    assert shared.schemas == len(passing[0] & passing[1])
    by_own = {(s.value, s.test): s.accuracy.n for s in evaluations[0].slices["own"]}
    assert by_own == {(True, "generic"): 2, (True, "exception"): 2, (False, "generic"): 4, (False, "exception"): 4}
    assert "own" not in evaluations[1].slices
    assert all(0 <= o.mass <= 1 and abs(o.margin) <= o.mass for o in evaluations[0].failures.items)
    assert [o.margin for o in evaluations[0].failures.items] == sorted(o.margin for o in evaluations[0].failures.items)


def _right(model: LanguageModel, probe: Probe) -> list[tuple[Item, bool]]:
    """Whether each item is answered right, asked one input at a time."""
    answers = answer_items(model, list(probe.items), ScoringSpec(exact=True))
    pairs = zip(probe.items, answers, strict=True)
    return [(item, a.scores[item.answer or 0] > a.scores[1 - (item.answer or 0)]) for item, a in pairs]


def test_an_empty_intersection_is_told(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    name = str(tiny_folders["bert"])
    answered = run_all([name], made_probe(), tmp_path / "run", Settings(cache=False, device="cpu"))
    (evaluation,) = score_answers(answered, Background(others={"another": set()}))
    assert (evaluation.subsets[-1].subset, evaluation.subsets[-1].schemas, evaluation.subsets[-1].generic) == (
        "intersection",
        0,
        None,
    )
    assert EMPTY in evaluation.notes
    assert strongest([], failures=True).items == ()


def test_options_that_cannot_be_spelt_are_told(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    hot, cold = made_probe().items[:2]
    odd = replace(hot, options=("hot", "холодный"), answer=0, facets={**hot.facets, "alternative": "холодный"})
    twin = replace(odd, text=cold.text, answer=1, member="exception")
    probe = Probe.of([odd, twin], made_probe().card)
    answered = run_all([str(tiny_folders["bert"])], probe, tmp_path / "run", Settings(cache=False, device="cpu"))
    (evaluation,) = score_answers(answered, Background())
    assert evaluation.notes == {"items with an option that the tokenizer cannot spell": 2}
    assert answered[0][MAIN].answers[0].flags == ("", "unknown-token")


def test_a_probe_of_something_else_is_refused(tmp_path: Path) -> None:
    items = [replace(item, facets={}) for item in made_probe().items]
    with pytest.raises(UserError, match="no WinoVenti schemas"):
        run_all(["x"], Probe.of(items, made_probe().card), tmp_path, Settings())


def test_checks_by_models(tiny_folders: dict[str, Path]) -> None:
    stove = CheckedSchema(replace(SCHEMAS[0], origin="machine"), ())
    same = CheckedSchema(
        Schema(Triplet("coat", "wet", "dry"), parse_premise("The coat was [wet / old] then."), "machine"), ()
    )
    vectors = checks.check_meaning([stove, same], str(tiny_folders["bert"]), near=0.9999)
    assert [checked.objections for checked in vectors] == [(), (checks.SIMILAR,)]
    ranker = load_model(str(tiny_folders["gpt2"]), device="cpu")
    (kept,) = checks.check_grammar([stove], ranker, SPEC, least=-1000.0)
    (bad,) = checks.check_grammar([stove], ranker, SPEC, least=0.0)
    assert (kept.objections, bad.objections) == ((), (checks.UNGRAMMATICAL,))
    (judged,) = checks.check_entailment([stove], [Noun("stove")], str(tiny_folders["nli"]), "cpu")
    assert set(judged.objections) <= {checks.WRONG_FOLLOWS}


def test_a_writer_with_too_small_a_window_is_refused(tiny_folders: dict[str, Path]) -> None:
    writer = load_model(str(tiny_folders["gpt2"]), device="cpu")
    with pytest.raises(UserError):
        write_premise_pairs(writer, [SCHEMAS[0].triplet], [Noun("stove")], 1, 0)


def test_steps_are_done_once_and_again_where_their_inputs_change(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    plan, out = make_plan(tiny_folders["bert"], tiny_folders["gpt2"]), tmp_path / "out"
    alone = run_pipeline(plan, out)
    assert (alone.triplets, alone.schemas, alone.probes) == ([], [], {}), "it is people's turn"
    plan = people_have_answered(plan, tmp_path, out)
    first, again = Listener(), Listener()
    done = run_pipeline(plan, out, first)
    assert [text for text in first.heard if "already done" in text] == [
        "1 associations: already done",
        "1 ranking and knee: already done",
    ]
    probe = read_probe(done.probes["proposed"])
    assert {item.facets["origin"] for item in probe.items} == {"people"}
    assert len(probe.items) == 2 * done.counts.passing["people"]
    assert done.counts.schemas["people"] == done.counts.filtered <= done.counts.triplets
    assert run_pipeline(plan, out, again).counts == done.counts
    assert sum("already done" in text for text in again.heard) == 7
    assert not any("…" in text for text in again.heard)
    with pytest.raises(
        UserError, match=r"the folder holds the pipeline of .*bert0?, and not of .*roberta0?; choose another out"
    ):
        run_pipeline(replace(plan, model=str(tiny_folders["roberta"])), out)
    assert read_plan(out).model == plan.model, "the folder is as it was"
    (tmp_path / "moved").symlink_to(tiny_folders["bert"])
    assert run_pipeline(replace(plan, model=str(tmp_path / "moved")), out).counts == done.counts, (
        "the same model goes on"
    )
    (out / "state.json").write_text("[]")
    with pytest.raises(UserError, match="not the state of a pipeline"):
        run_pipeline(plan, out)


def test_killed_again_and_again_it_ends_with_the_same_files(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.support.killed_pipeline"]
    command += [str(tiny_folders["bert"]), str(tiny_folders["gpt2"]), str(tmp_path), "1", "3"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == 2
    whole, killed = tmp_path / "whole/out", tmp_path / "killed/out"
    names = [path.name for path in whole.glob("*.tsv")]
    assert len(names) == 7
    for name in (*names, "proposed.jsonl", "counts.json"):
        assert (killed / name).read_bytes() == (whole / name).read_bytes()


def test_associations_are_a_table(tmp_path: Path, tiny_folders: dict[str, Path]) -> None:
    (tmp_path / "nouns.txt").write_text("stone\nkettle\n")
    found = hs.winoventi.find_associations(tmp_path / "nouns.txt", model=str(tiny_folders["bert"]), ranker="none")
    assert found.frame().columns == ("noun", "word", "k", "perplexity", "kept", "reason")
    assert len(found.frame()) == len(found.all) == found.associations
