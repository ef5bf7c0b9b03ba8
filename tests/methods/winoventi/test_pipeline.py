"""What the files of a pipeline say: depths are this model's own, and nothing of an earlier call stays behind."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from horsesense.core import read_probe
from horsesense.errors import UserError
from horsesense.methods.winoventi import word_relations
from horsesense.methods.winoventi.associations import read_associations
from horsesense.methods.winoventi.pipeline import run_pipeline
from horsesense.methods.winoventi.plan import PipelinePlan, Steps
from horsesense.methods.winoventi.schemas import CheckedSchema, read_schemas, read_triplets, write_schemas
from horsesense.runs.verify import verify
from tests.support.made_plan import make_plan, people_have_answered

_OTHER_MODELS = 99
_EXCEPTIONS = ("heavier", "wet")


@pytest.fixture(autouse=True)
def no_wordnet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_relations, "find_wordnet", lambda: None)


@pytest.fixture
def plan(tiny_folders: dict[str, Path]) -> PipelinePlan:
    return replace(make_plan(tiny_folders["bert"], tiny_folders["gpt2"]), write=0)


def kept_depths(plan: PipelinePlan, out: Path) -> dict[tuple[str, str], int]:
    """The first step, which needs nobody, and what it kept."""
    run_pipeline(plan, out)
    return {(each.noun, each.word): each.k for each in read_associations(out / "selection.tsv") if each.kept}


def test_k_is_this_models_with_what_a_release_and_people_wrote(plan: PipelinePlan, tmp_path: Path) -> None:
    out, outcomes, contexts = tmp_path / "out", tmp_path / "outcomes.csv", tmp_path / "contexts.csv"
    depths = kept_depths(plan, out)
    assert len(set(depths.values())) > 1
    triplets = [(noun, word, other) for noun, word in depths for other in _EXCEPTIONS if other != word]
    rows = ["Word\tAssociative Bias\tmin_k\tmakeSense\tantonym1"]
    rows += [f"{noun}\t{word}\t{_OTHER_MODELS}\tYes\t{other}" for noun, word, other in triplets]
    outcomes.write_text("\n".join(rows) + "\n", encoding="utf-8")
    rows = ["Word\tAssociative Bias\tAlternative\tcontext_sentence"]
    rows += [f"{noun}\t{word}\t{other}\tZoë [waited/walked] with the {noun}." for noun, word, other in triplets]
    contexts.write_text("\n".join(rows) + "\n", encoding="utf-8")
    result = run_pipeline(replace(plan, exceptions=(outcomes,), premises=(contexts,)), out)
    for name in ("exceptions.tsv", "filtered.tsv", "premises.tsv", "schemas.tsv"):
        triplets_of_file = read_triplets(out / name)
        assert triplets_of_file
        assert {(t.noun, t.generic): t.k for t in triplets_of_file}.items() <= depths.items(), name
        assert {t.origin for t in triplets_of_file} == {"release"}, name
    items = read_probe(result.probes["proposed"]).items
    assert all(item.facets["k"] == depths[item.groups["noun"], item.groups["generic_word"]] for item in items)
    assert {item.facets["exception_origin"] for item in items} == {"release"}
    slices = result.evaluations["proposed"].slices["k"]
    assert {each.value for each in slices} == {item.facets["k"] for item in items}


def test_a_depth_in_the_file_of_premises_gives_way_to_the_models_own(plan: PipelinePlan, tmp_path: Path) -> None:
    out = tmp_path / "out"
    depths = kept_depths(plan, out)
    answered = people_have_answered(plan, tmp_path, out)
    written = [checked.schema for checked in read_schemas(answered.premises[0])[0]]
    wrong = [replace(each, triplet=replace(each.triplet, origin="model", k=_OTHER_MODELS)) for each in written]
    write_schemas(tmp_path / "wrong.tsv", [CheckedSchema(schema, ()) for schema in wrong])
    run_pipeline(replace(answered, premises=(tmp_path / "wrong.tsv",)), out)
    triplets = read_triplets(out / "schemas.tsv")
    assert all((t.k, t.origin) == (depths[t.noun, t.generic], "people") for t in triplets)


def test_a_probe_whose_schemas_are_gone_is_removed(plan: PipelinePlan, tmp_path: Path) -> None:
    out = tmp_path / "out"
    kept_depths(plan, out)
    with_premises = people_have_answered(plan, tmp_path, out)
    assert list(run_pipeline(with_premises, out).probes) == ["proposed"]
    before = {path.name for path in out.iterdir() if path.name.startswith("proposed")}
    without = replace(with_premises, premises=())
    assert run_pipeline(without, out).probes == {}
    assert before
    assert not any((out / name).exists() for name in before)
    (out / "proposed.jsonl").write_text("somebody's own\n")
    run_pipeline(without, out)
    assert (out / "proposed.jsonl").read_text() == "somebody's own\n", "what the pipeline did not write stays"


def test_a_file_that_is_not_there_is_told(plan: PipelinePlan, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"nowhere\.csv: no such file"):
        run_pipeline(replace(plan, exceptions=(tmp_path / "nowhere.csv",)), tmp_path / "out")


def _write(path: Path) -> None:
    path.write_text("word\n")


def test_a_part_that_rots_is_made_again(tmp_path: Path) -> None:
    def rows(steps: Steps) -> list[int]:
        return list(steps.in_parts("associations", "a" * 12, 5, 2, lambda low, high: list(range(low, high))))

    steps = Steps(tmp_path, lambda _: None)
    assert rows(steps) == [0, 1, 2, 3, 4]
    path = steps.do("selection", "selection.tsv", ["made from"], lambda path, _: _write(path))
    part = sorted((tmp_path / "parts").iterdir())[1]
    part.write_text("[2, 8]")
    path.write_text("wodr\n")
    assert verify(tmp_path).damaged == (f"parts/{part.name}", "selection.tsv")
    assert rows(Steps(tmp_path, lambda _: None)) == [0, 1, 2, 3, 4]
    assert verify(tmp_path).damaged == ("selection.tsv",)
