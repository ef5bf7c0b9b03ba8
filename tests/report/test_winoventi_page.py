"""WinoVenti's suite and page: the paper's table with our models in it, the same from the folder, funnel and samples."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import horsesense as hs
from horsesense.methods.suites.ask import AskedSuite, ask_suite
from horsesense.methods.suites.frame import stored_tables
from horsesense.methods.winoventi import word_relations
from horsesense.methods.winoventi.pipeline import run_pipeline
from horsesense.methods.winoventi.published_dataset import COLUMNS
from horsesense.report.run_report import write_report
from horsesense.stats import Estimate
from tests.support.made_plan import make_plan, people_have_answered
from tests.support.made_schemas import SCHEMAS

# Words that no corpus has: any tokenizer spells both with as many pieces.
EVEN = tuple(
    replace(schema, triplet=replace(schema.triplet, generic="zqx", exception="xqz"), premise=schema.premise)
    for schema in SCHEMAS[1:4]
)


@pytest.fixture(autouse=True, scope="module")
def no_wordnet() -> None:
    patch = pytest.MonkeyPatch()
    patch.setattr(word_relations, "find_wordnet", lambda: None)


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of our own: the benchmark and what people answered, below one folder."""
    folder = tmp_path_factory.mktemp("release")
    rows, people = ["\t".join(COLUMNS)], ["\t".join(("User ID", *COLUMNS, "choiceA", "choiceB", "human_input"))]
    for number, schema in enumerate((*SCHEMAS, *EVEN)):
        t, p = schema.triplet, schema.premise
        for test, sentence, right, wrong in (
            ("1", p.sentences[0], t.generic, t.exception),
            ("2", p.sentences[1], t.exception, t.generic),
        ):
            text = f"{sentence} The {t.noun} is [MASK]."
            row = (t.noun, t.generic, t.exception, p.generic, p.exception, text, right, wrong, test)
            rows.append("\t".join(row))
            chosen = "choiceA" if number or test == "1" else "choiceB"
            blank = (*row[:5], text.replace("[MASK]", "_____"), *row[6:])
            people.append("\t".join((f"w{number}", *blank, right, wrong, chosen)))
    (folder / "data").mkdir()
    (folder / "data" / "winoventi_bert_large_final.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (folder / "human_evaluation_cleaned.csv").write_text("\n".join(people) + "\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def asked(
    release: Path, tiny_folders: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> tuple[AskedSuite, Path]:
    out = tmp_path_factory.mktemp("out") / "run"
    models = [f"{name}={tiny_folders[name]}" for name in ("bert", "gpt2")]
    return ask_suite(models, "winoventi", data=release, out=out), out


def test_the_suite_has_table_6(asked: tuple[AskedSuite, Path]) -> None:
    suite, out = asked
    ours, published = suite.tables[:2]
    assert published.title == "WinoVenti, table 6, as published", "nine schemas are not the paper's 2,176"
    assert [row.kind for row in ours.rows] == ["ours", "ours", "people"]
    assert {row.kind for row in published.rows} == {"published"}
    large = next(row for row in published.rows if row.name == "BERT-large")
    assert large.cells == (0.898, 0.184, 0.898, 0.184, 0.974, 0.114)
    generic, exception = ours.rows[2].cells[:2]
    assert isinstance(generic, Estimate)
    assert isinstance(exception, Estimate)
    assert (generic.value, exception.n) == (1.0, 9)
    assert exception.value == pytest.approx(8 / 9)
    titles = [table.title for table in suite.tables]
    assert {"WinoVenti: context shift", "WinoVenti by number of tokens", "WinoVenti: reversed test"} <= {*titles}
    assert stored_tables(out) == suite.tables, "the folder gives the same again"


def test_models_are_compared_where_tokens_are_equal_for_both(asked: tuple[AskedSuite, Path]) -> None:
    """Against counting by hand: schemas with as many tokens in both outcomes, for either model."""
    suite, out = asked
    equal: set[str] | None = None
    right: dict[str, dict[tuple[str, str], float]] = {}
    for run in hs.open_run(out).answered:
        if run.part.probe.name != "winoventi":
            continue
        same = set()
        for item, answer in zip(run.items, run.answers, strict=True):
            if len(answer.logprobs[0]) == len(answer.logprobs[1]):
                same.add(item.family)
            sums = [sum(values) for values in answer.logprobs]
            ahead = sums[item.answer or 0] - sums[1 - (item.answer or 0)]
            credit = 0.5 if ahead == 0 else float(ahead > 0)
            right.setdefault(run.part.model.name, {})[item.family, item.member] = credit
        equal = same if equal is None else equal & same
    assert equal
    table = next(each for each in suite.tables if each.title == "WinoVenti: differences between models")
    (row,) = table.rows
    assert row.name == "bert − gpt2"
    assert f"On the {len(equal):,} schemas" in table.notes[0]
    for cell, member in zip(row.cells, ("generic", "exception"), strict=True):
        means = [sum(right[model][family, member] for family in equal) / len(equal) for model in ("bert", "gpt2")]
        assert isinstance(cell, Estimate)
        assert cell.value == pytest.approx(means[0] - means[1])


def test_the_page_of_a_run_and_its_tables(asked: tuple[AskedSuite, Path], tmp_path: Path) -> None:
    _, out = asked
    page = tmp_path / "page.html"
    write_report(out, out=page, cues=False, pictures=False)
    html = page.read_text(encoding="utf-8")
    for title in ("WinoVenti, table 6", "by number of tokens", "third of the premise", "context shift"):
        assert title in html
    assert "BERT-large (published)" in str(write_report(out, format="md", cues=False).text)
    assert "BERT-large (published)" in str(write_report(out, format="latex", cues=False).text)


def test_the_page_of_a_pipeline(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    plan = make_plan(tiny_folders["bert"], tiny_folders["gpt2"])
    plan = replace(plan, write=0, nouns=plan.nouns[:2])
    out = tmp_path / "out"
    run_pipeline(plan, out)
    early = write_report(out, cues=False, pictures=False).out
    assert early is not None
    assert "No schema has been validated yet" in early.read_text(encoding="utf-8")
    result = run_pipeline(people_have_answered(plan, tmp_path, out), out)
    page = write_report(out, cues=False, pictures=False).out
    assert page is not None
    html = page.read_text(encoding="utf-8")
    assert "Nobody has validated these schemas" in html
    assert f"<td>{len(result.filtered):,}</td>" in html
    assert "WinoVenti: the two tests" in html
    places = [html.index(text) for text in ('id="pipeline"', "context shift", 'id="summary"')]
    assert places == sorted(places), "what nobody has passed is told before any figure"
    assert f"{len(result.schemas):,} of these schemas are not validated, so there is no headline." in html
    shown = [each for each in result.filtered if f'<td class="text">{each.exception}</td>' in html]
    assert shown, "a sample of triplets"
    assert "Zoë [waited / walked] outside" in html
