"""A writer and a judge behind servers: from associations to a probe, with kin refused, bad replies, and a server that
goes away.

Both are real models behind real HTTP; what they are asked of this kind they answer by the rules below.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel

from horsesense.errors import UserError
from horsesense.methods.winoventi import circumstances, word_relations, writer_and_judge
from horsesense.methods.winoventi.associations import read_associations
from horsesense.methods.winoventi.builder import OWN
from horsesense.methods.winoventi.circumstances import load_circumstances
from horsesense.methods.winoventi.elicitation import Elicitation
from horsesense.methods.winoventi.pipeline import PipelineResult, run_pipeline
from horsesense.methods.winoventi.plan import PipelineContext, PipelinePlan
from horsesense.methods.winoventi.schemas import read_triplets
from horsesense.models.api.settings import ServedSettings
from horsesense.models.hf.load import load_model
from horsesense.models.hf.trainable import borrow
from horsesense.models.lineage import lineage_named
from horsesense.progress import Progress
from horsesense.runs.verify import verify
from tests.support.made_plan import make_plan
from tests.support.model_server import ModelServer

pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]

SOUND = {(each.noun, each.generic, each.exception) for each in read_triplets(OWN)}
ODD = "coat"
"""The noun that both give odd replies about."""
TEMPLATE = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant:"


class Listener(Progress):
    def __init__(self) -> None:
        self.heard = ""

    def log(self, text: str) -> None:
        self.heard += text + "\n"


def noun_in(asked: str) -> str:
    found = re.search(r"[Tt]he (\w+) (?:is|are)", asked)
    return found[1] if found else ""


def writes(asked: str) -> str | None:
    """Three words for a statement, and a pair of texts for a pair of outcomes."""
    noun = noun_in(asked)
    if not noun or "1." in asked or "ce is" in asked.lower():  # of the trials of a server
        return None
    if "[" not in asked:
        return "I would rather not.\n" if noun == ODD else " frozen, broken, shiny\nThe"
    if noun == ODD:
        return "Sure! Here is a sentence about it."
    if noun == "feather":
        return "The road was quiet under the [sun / rain]."
    word = "froze" if noun == "butter" else "walked"
    return f'Sentence: "Zoë [waited / {word}] outside with the {noun}."'


def judges(asked: str) -> str | None:
    """Whether a triplet is one of those that ship, or of a noun that can be frozen."""
    found = re.search(r"1\. The (.+) (?:is|are) (\S+)\. 2\. The .+ (?:is|are) (\S+)\.", asked)
    if found is None:
        return None
    noun, exception, generic = found.groups()
    if noun == ODD:
        return "perhaps"
    return "yes" if (noun, generic, exception) in SOUND or (exception == "frozen" and noun != "umbrella") else "no"


@dataclass
class Servers:
    """Who writes and who judges."""

    writer: ModelServer
    judge: ModelServer

    @property
    def asked(self) -> list[str]:
        """All that both have answered."""
        return self.writer.seen.bodies + self.judge.seen.bodies


@pytest.fixture(scope="module")
def running(tiny_folders: dict[str, Path]) -> Iterator[Servers]:
    tokenizer = load_model(str(tiny_folders["gpt2"]), device="cpu").tokenizer
    tokenizer.chat_template = TEMPLATE
    torch.manual_seed(0)
    sizes = {"vocab_size": len(tokenizer), "n_positions": 512, "n_embd": 32, "n_layer": 2, "n_head": 2}
    model = borrow(GPT2LMHeadModel(GPT2Config(**sizes)).eval(), tokenizer, name="tiny")
    writer, judge = ModelServer(model, "qwen-tiny"), ModelServer(model, "gemma-tiny")
    with writer.running(), judge.running():
        yield Servers(writer, judge)


@pytest.fixture(scope="module", autouse=True)
def no_wordnet() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(word_relations, "find_wordnet", lambda: None)
        patch.setattr(circumstances, "find_wordnet", lambda: None)
        yield


@pytest.fixture
def servers(running: Servers) -> Servers:
    return fresh(running)


def fresh(servers: Servers) -> Servers:
    for server, says in ((servers.writer, writes), (servers.judge, judges)):
        server.reset()
        server.says = says
    return servers


@pytest.fixture(scope="module")
def plan(
    running: Servers, no_wordnet: None, tiny_folders: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> PipelinePlan:
    """People say of all words that they exclude *frozen*, and of a noun that is no kin of these."""
    folder = tmp_path_factory.mktemp("plan")
    made = replace(
        make_plan(tiny_folders["bert"], tiny_folders["gpt2"]),
        ranker="none",
        elicitation=Elicitation(k=(2,)),
        samples=1,
        write=None,
        served=ServedSettings(patience=0, concurrency=8),
    )
    run_pipeline(made, folder / "out")
    kept = sorted({each.word for each in read_associations(folder / "out/selection.tsv") if each.kept})
    rows = [f"zebra\t{word}\tfrozen\tTrue" for word in kept]
    registry = folder / "registry.tsv"
    registry.write_text("\n".join(["Word\tAssociative Bias\tAlternative\tBERT", *rows]) + "\n", encoding="utf-8")
    return replace(made, exceptions=(registry,), writer=running.writer.name, judge=running.judge.name)


@pytest.fixture(scope="module")
def whole(plan: PipelinePlan, running: Servers, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a pipeline that nothing disturbed."""
    fresh(running)
    out = tmp_path_factory.mktemp("whole") / "out"
    run_pipeline(plan, out)
    return out


def heard_of(plan: PipelinePlan, out: Path) -> tuple[PipelineResult, str]:
    listener = Listener()
    return run_pipeline(plan, out, listener), listener.heard


@pytest.mark.parametrize("how", ["chat", "text", "no logprobs"])
def test_from_associations_to_a_probe(how: str, plan: PipelinePlan, servers: Servers, tmp_path: Path) -> None:
    for server in (servers.writer, servers.judge):
        server.behaviour.chat = how != "text"
        server.behaviour.logprobs = how != "no logprobs"
    result, heard = heard_of(plan, tmp_path / "out")
    kept = {each.noun for each in result.kept}
    assert {ODD, "umbrella", "feather", "butter"} <= kept, "or less is tried than is told"
    assert {(each.noun, each.exception) for each in result.triplets} == {
        (noun, "frozen") for noun in kept - {ODD, "umbrella"}
    }, "one was refused, one got no verdict, and nothing shows that the others are exceptions"
    names = servers.writer.name, servers.judge.name
    assert f"trial of {names[1]} as a judge: it accepts 40 of 40 valid triplets, and 0 of 40" in heard
    odd = sum(each.noun == ODD for each in result.kept)
    assert f"associations that {names[0]} names no exception to: 0" in heard
    assert f"{names[1]} gives no verdict: {odd}" in heard
    written = {each.schema.triplet.noun: each for each in result.schemas}
    copied = sum(each.noun == "feather" for each in result.filtered)
    assert f"unusable replies of {names[0]}: {copied} of {len(result.filtered)}" in heard
    assert set(written) == {each.noun for each in result.filtered} - {"feather"}
    assert {each.schema.annotator for each in result.schemas} == {names[0]}
    if "butter" in written:
        assert "has the outcome in the premise" in written["butter"].objections
    assert result.counts.passing == {f"machine ({names[0]})": sum(each.passes for each in result.schemas)}
    assert result.evaluations["proposed"].proposed == sum(each.passes for each in result.schemas)
    assert not verify(tmp_path / "out").damaged


def test_what_is_done_is_not_asked_again(plan: PipelinePlan, servers: Servers, tmp_path: Path) -> None:
    heard_of(plan, tmp_path / "out")
    asked = len(servers.asked)
    _, heard = heard_of(plan, tmp_path / "out")
    assert len(servers.asked) == asked
    assert heard.count("already done") == 7
    more = replace(plan, samples=2)
    heard_of(more, tmp_path / "out")
    assert len(servers.judge.seen.bodies) == len(set(servers.judge.seen.bodies))
    later = [body for body in servers.asked[asked:] if "[" in body]
    assert later, "premises are another step now"
    assert len(set(servers.asked)) == len(servers.asked), "and the first of each two was kept"


@pytest.mark.parametrize("where", ["Name three adjectives", "2. The", "Write one sentence"])
def test_a_server_that_goes_away_is_told_and_nothing_is_asked_twice(
    where: str, plan: PipelinePlan, whole: Path, servers: Servers, tmp_path: Path
) -> None:
    """It goes away at its third question of a kind: for exceptions, for verdicts, and for premises."""
    leaving = servers.judge if where.startswith("2.") else servers.writer
    usual, seen = leaving.says, 0
    assert usual is not None
    kind = re.compile(r"^The \w+ (is|are) \w+\.$|^1\." if where != "Write one sentence" else r"\[")

    def leaves(asked: str) -> str | None:
        nonlocal seen
        seen += bool(kind.search(asked.strip().splitlines()[0]))
        if seen == 3:
            leaving.behaviour.fault, leaving.behaviour.every = "hangs-up", 1
        return usual(asked)

    leaving.says = leaves
    with pytest.raises(UserError, match=r"does not answer after 1 try .*all replies so far are stored"):
        heard_of(plan, tmp_path / "out")
    leaving.behaviour.fault, leaving.says = "", usual
    heard_of(plan, tmp_path / "out")
    assert len(set(servers.asked)) == len(servers.asked)
    for name in ("exceptions.tsv", "premises.tsv", "schemas.tsv", "counts.json"):
        assert (tmp_path / "out" / name).read_bytes() == (whole / name).read_bytes()


def test_a_judge_that_tells_nothing_apart_is_not_asked(plan: PipelinePlan, servers: Servers, tmp_path: Path) -> None:
    servers.judge.says = lambda asked: "yes" if judges(asked) else None
    result, heard = heard_of(plan, tmp_path / "out")
    assert "accepts 40 of 40 valid triplets, and 40 of 40" in heard
    assert "does not distinguish them significantly, so it is not used" in heard
    assert result.triplets == []


def test_what_a_judge_is_tried_on() -> None:
    table = load_circumstances()
    sound, dealt = writer_and_judge.trial_triplets(table, seed=1)
    assert {(each.noun, each.generic, each.exception) for each in sound} <= SOUND
    assert not {(each.noun, each.generic, each.exception) for each in dealt} & SOUND
    assert [(each.generic, each.exception) for each in sound] == [(each.generic, each.exception) for each in dealt]
    assert len(sound) == 40


def test_kin_is_refused_before_anything_is_asked(plan: PipelinePlan, servers: Servers, tmp_path: Path) -> None:
    kin = replace(plan, judge=plan.writer)
    with pytest.raises(
        UserError, match=r"the judge 'openai:.*' is related to the writer 'openai:.*' \(both are qwen\)"
    ):
        run_pipeline(kin, tmp_path / "out")
    assert servers.asked == []


def test_what_a_server_says_that_it_has_counts_where_its_address_does_not_tell(
    plan: PipelinePlan, servers: Servers, tmp_path: Path
) -> None:
    """The address names no model; the server has one of the tested model's lineage."""
    servers.judge.called = "bert-large"
    try:
        with pytest.raises(UserError, match=r"the judge .* is related to the model .* \(both are bert\)"):
            run_pipeline(replace(plan, judge=f"openai:{servers.judge.url}"), tmp_path / "out")
        assert servers.judge.seen.bodies == [], "it was asked what it has, and nothing else"
        unknown = replace(plan, judge=f"openai:{servers.judge.url}#mystery")
        servers.judge.called = "mystery"
        assert unknown.refuse_related() == [unknown.judge]
        assert replace(plan, judge=f"llama={unknown.judge}").refuse_related() == []
        listener = Listener()
        with PipelineContext(unknown, tmp_path, listener).asked(unknown.judge):
            assert listener.heard.startswith(f"the lineage of {unknown.judge} is unknown")
    finally:
        servers.judge.called = "gemma-tiny"


def test_a_folder_is_of_the_lineage_that_it_was_trained_from(tmp_path: Path) -> None:
    for name, base in (("one", "smollm2-masked"), ("two", str(tmp_path / "one"))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "training.json").write_text(f'{{"base": "{base}"}}')
    assert lineage_named(str(tmp_path / "two")) == "smollm"
    (tmp_path / "one/training.json").write_text(f'{{"base": "{tmp_path / "two"}"}}')
    assert lineage_named(str(tmp_path / "two")) == "", "and a circle ends"
