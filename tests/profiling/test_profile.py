"""A profile end to end: built-in controls, planted models, and a real model on a few questions, stored and resumed."""

from __future__ import annotations

import html
import json
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import horsesense as hs
from horsesense.core import Item, ScoringSpec
from horsesense.errors import UserError
from horsesense.methods.ladders.thresholds import AROUND, FIRST, LOGICAL, build_ladder, interval_text
from horsesense.models.api.settings import ServedSettings
from horsesense.profiling import asking
from horsesense.profiling.abilities import abilities
from horsesense.profiling.asking import ProfileCall
from horsesense.profiling.conditions import FEW, original_id
from horsesense.profiling.controls import planted
from horsesense.profiling.document import Profile
from horsesense.profiling.material import material
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.report.profile_picture import grid_svg
from horsesense.report.profile_view import UNJUDGED, VERDICTS, headline, notes, partial_warning, planted_rows
from horsesense.report.terms import TERMS
from horsesense.runs.store import locked, profiling
from tests.faults.harness import tree_of
from tests.methods.ladders.test_ladder import solver
from tests.support.calling import caller, hold_to
from tests.support.made_run import made_items, make_run
from tests.support.reply_model import ReplyModel, reply
from tests.support.small_wordnet import write_small_wordnet
from tests.test_registry import outside

CHEAP = ["everyday", "turned", "exceptions", "parts"]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Profile:
    out = tmp_path_factory.mktemp("profile") / "pair"
    return hs.profile(["guesser", "cue-reader"], abilities=CHEAP, out=out)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Profile:
    """The bundled model on a dozen families of two abilities."""
    out = tmp_path_factory.mktemp("profile") / "small"
    return hs.profile("smollm2", abilities=["exceptions", "turned"], limit=6, out=out)


def test_a_guesser_is_found_to_guess_and_gets_nothing(pair: Profile) -> None:
    guesser = pair.models[0].verdicts
    # One page of twenty may be wrong somewhere, and the seed was not chosen by its result: this one is, in one place.
    assert Counter(found.verdict for found in guesser.findings)["not above chance"] >= 3
    assert guesser.overall is not None
    assert guesser.overall.value.low < 0 < guesser.overall.value.high
    assert guesser.left_out == ("everyday", "exceptions", "parts")
    assert [(group.group, group.judged) for group in guesser.groups] == [
        ("reversal and negation", True),
        ("everyday inference", False),
        ("context versus prior", False),
    ]
    assert guesser.overall.name == "reversal and negation", "what it is a score of is in its name"
    assert not guesser.contamination.found
    assert "not above chance" in pair.models[0].summary[0]


def test_a_cue_reader_earns_what_the_cue_earns(pair: Profile) -> None:
    for found in pair.models[1].verdicts.findings:
        cue = next(each for each in found.explanations if each.kind == "cue")
        assert found.accuracy.value == pytest.approx(cue.accuracy.value)
        assert found.verdict not in ("knows", "partly")


def test_a_relatedness_reader_earns_what_the_nearest_option_earns() -> None:
    (model,) = hs.profile("relatedness-reader", abilities=["parts", "everyday"]).models
    for found in model.verdicts.findings:
        nearest = [each.accuracy.value for each in found.explanations if each.kind == "relatedness"]
        assert found.accuracy.value == pytest.approx(nearest[-1])
        assert found.verdict not in ("knows", "partly")


def test_a_profile_of_a_part_says_so(pair: Profile, small: Profile) -> None:
    assert not pair.complete
    assert not small.complete
    said = partial_warning(pair)
    assert said
    page = re.sub(r"<[^>]+>", "", (pair.page or Path()).read_text(encoding="utf-8"))
    for text in (pair.to_markdown(), page):
        assert text.count(said) == 1
        assert text.index(said) < text.casefold().index("overall score"), "before any headline"
    assert repr(pair).startswith(said)


def test_why_a_verdict_is_surer_than_an_interval_stands_beside_them(pair: Profile) -> None:
    (level,) = {model.verdicts.verdict_level for model in pair.models}
    assert level == 1 - 0.05 / 2 / len(CHEAP)
    for text in (pair.to_markdown(), (pair.page or Path()).read_text(encoding="utf-8")):
        assert "verdicts use 99.38% intervals" in text
        assert "4 abilities" in text


def test_the_page_says_first_what_it_means_and_shows_every_cell(pair: Profile) -> None:
    assert pair.page is not None
    page = pair.page.read_text(encoding="utf-8")
    before, _, _ = page.partition('id="grid"')
    plain = re.sub(r"<[^>]+>", "", before)
    for model in pair.models:
        head = headline(model)
        for fact in (model.model, head.overall, head.contamination, f"{head.items:,}", *notes(pair).values()):
            assert fact in plain
        assert sum(n for _, _, n in head.counts) == len(CHEAP)
    for verdict in {found.verdict for model in pair.models for found in model.verdicts.findings}:
        assert VERDICTS[verdict].meaning in plain, "the legend is above the grid"
    assert "first look" in plain
    assert "simulations of the full edition" in plain
    assert "significance level is 0.001" in page
    assert len(re.findall(r'<button type="button" class="cell"', page)) == len(CHEAP) * 2
    assert UNJUDGED in page
    assert not re.findall(r"(?:src|href)=.?https?:", page), "the page asks nothing of a network"
    for ability in pair.abilities:
        assert ability.content[:12] in page


def test_the_page_defines_its_terms_once_and_states_the_level_of_every_interval(pair: Profile) -> None:
    assert pair.page is not None
    page = html.unescape(pair.page.read_text(encoding="utf-8"))
    before, _, rest = page.partition('id="grid"')
    for term in ("Adjusted score", "Ceiling", "Cluster", "Family", "Retention", "Public items", "Twins", "PMI"):
        assert f"<dt>{term}</dt><dd>{TERMS[term]}</dd>" in before
    assert page.count("accuracy is a weighted mean") == 1, "one definition of the adjusted score"
    level = f"{100 * pair.models[0].verdicts.verdict_level:.4g}%"
    cards = rest.split('<article class="answer"')[1:]
    assert len(cards) == len(CHEAP) * 2
    for card in cards:
        assert level in card
        assert "95% intervals" in card
    assert "any wrong claim" not in page
    assert not re.search(r"\bpublished (items|questions)", page), "items that ship with horsesense are public items"


def test_the_picture_has_a_dot_a_cell_where_the_accuracy_is(pair: Profile) -> None:
    assert pair.pictures is not None
    svg, png = pair.pictures
    root = ET.fromstring(svg.read_text(encoding="utf-8"))
    dots = [float(each.attrib["cx"]) for each in root.iter("{http://www.w3.org/2000/svg}circle")]
    dots = dots[1:]  # the first is that of the legend
    assert len(dots) == len(CHEAP) * 2
    assert png.read_bytes().startswith(b"\x89PNG")
    values = [found.accuracy.value for found in pair.models[0].verdicts.findings]
    places = sorted(dots)[: len(CHEAP)]
    order = np.argsort(values)
    assert np.corrcoef(np.array(values)[order], places)[0, 1] > 0.999


def test_the_text_of_a_picture_with_one_model_ends_inside_it(small: Profile) -> None:
    root = ET.fromstring(grid_svg(small))
    width = float(root.attrib["width"])
    small_texts = [each for each in root.iter("{http://www.w3.org/2000/svg}text") if each.attrib["font-size"] == "12"]
    ends = [float(each.attrib["x"]) + 6.9 * len(each.text or "") for each in small_texts]
    assert max(ends) <= width
    assert "Bonferroni-corrected" in " ".join(each.text or "" for each in small_texts)


def test_a_profile_loads_a_model_as_it_is_told(wide_gpt2: str) -> None:
    how = hs.ComputeSettings(device="cpu", model_type="masked")
    with pytest.raises(UserError, match="cannot load as masked"):
        hs.profile(wide_gpt2, abilities=["parts"], limit=1, compute=how)


def test_markdown_and_json_have_the_same_numbers(pair: Profile) -> None:
    assert pair.out is not None
    kept = json.loads((pair.out / "profile.json").read_text(encoding="utf-8"))
    text = pair.to_markdown()
    for model in kept["models"]:
        for found in model["verdicts"]["findings"]:
            assert f"{found['accuracy']['value']:.0%} [" in text
    assert [each["ability"] for each in kept["differences"]].count("overall score") == 1
    sure = any(each["adjusted"] < 0.05 for each in kept["differences"])
    assert ("No significant difference between guesser and cue-reader." in text) is not sure


def test_a_real_model_has_every_column_of_a_sheet(small: Profile) -> None:
    model = small.models[0]
    by_name = {found.ability: found for found in model.verdicts.findings}
    assert "in the pmi format" in {each.name for each in by_name["turned"].conditions}
    names = [each.name for each in by_name["exceptions"].explanations]
    assert "its own choice without the question" in names
    assert by_name["turned"].twin is not None
    assert by_name["exceptions"].twin is None
    assert model.associations is not None
    assert model.associations.schemas == 6
    assert model.forecast is not None
    assert model.forecast.tokens > 100
    assert "its chat template is not used" in model.asked
    assert small.out is not None
    assert model.chat is not None
    inside = hs.open_run(small.out / "answers-with-chat").answered
    right = [bool(value) for each in inside for value in each.credits(each.primary()).values]
    assert (model.chat.chat.value, model.chat.difference.n) == (sum(right) / len(right), 12), "an item of each family"
    assert all("chat template" in each.part.asked for each in inside)
    for mistake in model.mistakes:
        assert mistake.chosen != mistake.right
        assert mistake.shares[mistake.chosen] == max(mistake.shares)


def test_the_same_call_asks_nothing_again_and_says_the_same(small: Profile) -> None:
    assert small.out is not None
    before = (small.out / "profile.json").read_bytes()
    again = hs.profile("smollm2", abilities=["exceptions", "turned"], limit=6, out=small.out)
    assert again.models[0].forecast is None, "nothing was left to be foretold"
    assert again.models[0].verdicts == small.models[0].verdicts
    after = json.loads((small.out / "profile.json").read_bytes())
    expected = json.loads(before)
    for each in (expected, after):
        del each["models"][0]["forecast"]
    assert after == expected


def test_what_cannot_be_asked_is_told(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UserError, match="two models are called 'guesser'"):
        hs.profile(["guesser", "guesser"])
    with pytest.raises(UserError, match="leaves nothing to ask"):
        hs.profile("guesser", limit=0)
    call = caller(capfd)
    both = call("profile", "-m", "guesser", "--limit", "0", "--out", tmp_path / "x")
    assert (both.code, (tmp_path / "x").exists()) == (2, False)


def test_one_folder_holds_one_study(pair: Profile, small: Profile, tmp_path: Path) -> None:
    """A run in a profile's folder put its answers among those of the profile."""
    assert pair.out is not None
    assert small.out is not None
    trees = [tree_of(each) for each in (pair.out, small.out)]
    for place in (pair.out, pair.out / "answers", small.out, small.out / "answers"):
        with pytest.raises(UserError, match=r"holds (a|the answers of a) profile"):
            hs.ask("smollm2", limit=4, out=place)
    assert [tree_of(each) for each in (pair.out, small.out)] == trees
    with pytest.raises(UserError, match=r"answers are in .*answers"):
        hs.open_run(small.out)
    made = make_run(tmp_path / "run", {"good": 0.9}, made_items(4))
    with pytest.raises(UserError, match="the folder holds a run"):
        hs.profile("guesser", abilities=["parts"], out=made)


def test_a_page_is_replaced_only_by_one_that_shows_as_much(tmp_path: Path) -> None:
    """A second model in the same folder used to replace the page of the first without a word."""
    out = tmp_path / "p"
    few: dict[str, Any] = {"abilities": ["parts"], "limit": 5}
    hs.profile("guesser", out=out, **few)
    before = tree_of(out)
    for models, changes, lost in (
        ("cue-reader", {}, "guesser"),
        ("guesser", {"abilities": ["turned"]}, "the ability parts"),
        ("guesser", {"twin_seed": 1}, "the twins of seed 0"),
        ("guesser", {"adaptive": True}, "without adaptive"),
    ):
        with pytest.raises(UserError, match=rf"holds a profile page with .*{lost}") as refused:
            hs.profile(models, out=out, **(few | changes))
        assert refused.value.file == str(out)
    assert tree_of(out) == before
    both = hs.profile(["cue-reader", "guesser"], out=out, abilities=["parts", "turned"], limit=5, full=True)
    assert [each.model for each in both.models] == ["cue-reader", "guesser"]
    with pytest.raises(UserError, match="the full edition"):
        hs.profile(["cue-reader", "guesser"], out=out, abilities=["parts", "turned"], limit=5)


def test_answers_of_a_profile_that_was_stopped_are_its_own(tmp_path: Path, wide_gpt2: str) -> None:
    few: dict[str, Any] = {"abilities": ["parts"], "limit": 3, "compute": hs.ComputeSettings(device="cpu")}
    model, out = wide_gpt2, tmp_path / "p"
    with pytest.raises(KeyboardInterrupt):
        hs.profile(model, out=out, progress=_Stops(), **few)
    for place in (out, out / "answers"):
        with pytest.raises(UserError, match=r"holds (a|the answers of a) profile"):
            hs.ask(model, limit=4, out=place, compute=hs.ComputeSettings(device="cpu"))
    # A run of one's own may be called so.
    hs.ask(model, limit=4, out=tmp_path / "answers", compute=hs.ComputeSettings(device="cpu"))
    hs.ask(model, limit=4, out=tmp_path / "answers", compute=hs.ComputeSettings(device="cpu"))


def test_a_second_profile_is_refused_before_it_builds_or_loads_anything(tmp_path: Path) -> None:
    class Told(Progress):
        def update(self, stage: str, done: int, total: int, unit: str = "", note: str = "") -> None:
            pytest.fail(f"it began with {stage}")

        def log(self, text: str) -> None:
            pytest.fail(f"it began and said {text}")

    with locked(tmp_path / "p"), pytest.raises(UserError, match="another process is using this folder"):
        hs.profile("smollm2", abilities=["parts"], out=tmp_path / "p", progress=Told())
    with locked(tmp_path / "p"), pytest.raises(UserError, match="another process is using this folder"):
        hs.ask("smollm2", limit=4, out=tmp_path / "p" / "answers")  # it may not have kept an answer yet
    assert not (tmp_path / "p" / "answers").exists()


def test_the_command_prints_a_table_and_its_document_keeps_to_its_schema(
    pair: Profile, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    hold_to("profile", pair.to_json())
    words = ["profile", "-m", "guesser", "--ability", "parts", "--ability", "turned"]
    printed = caller(capfd)(*words, "--out", tmp_path / "p")
    assert printed.code == 0, printed.err
    assert "wholes ¹" in printed.out
    assert "overall score: " in printed.out
    assert (tmp_path / "p" / "profile.png").is_file()


class _Stops(Progress):
    """Presses Ctrl-C when nine tenths of the tokens are computed."""

    def update(self, stage: str, done: int, total: int, unit: str = "", note: str = "") -> None:
        if unit == "tokens" and done > 0.9 * total:
            raise KeyboardInterrupt


def test_one_that_was_stopped_near_its_end_goes_on_to_the_same_bytes(
    tmp_path: Path, wide_gpt2: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is left then by which the speed could be measured; and its questions come out of the cache."""
    few: dict[str, Any] = {"abilities": ["parts"], "limit": 3, "compute": hs.ComputeSettings(device="cpu")}
    monkeypatch.setenv("WNHOME", str(write_small_wordnet(tmp_path / "wordnet")))
    model, trees = wide_gpt2, []
    for name in ("whole", "stopped"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path / f"cache-{name}"))
        if name == "stopped":
            with pytest.raises(KeyboardInterrupt):
                hs.profile(model, out="p", progress=_Stops(), **few)
        hs.profile(model, out="p", **few)
        trees.append(tree_of(tmp_path / name))
    assert [name for name in trees[0] if trees[0][name] != trees[1].get(name)] == []
    assert "p/profile.json" in trees[1]


@dataclass(frozen=True)
class Planted:
    """Answers by a rule."""

    name: str
    rule: Callable[[Item], Sequence[float]]

    def scores(self, item: Item) -> Sequence[float]:
        return self.rule(item)


def _key(item: Item) -> list[float]:
    return [float(place == item.answer) for place in range(len(item.options))]


def _half_of_families(item: Item) -> list[float]:
    """Knows two families of five, and has the shortest option for the rest."""
    known = Random(f"known {item.unit()}").random() < 0.4
    return _key(item) if known else [-float(len(option)) for option in item.options]


def test_a_reader_of_planted_cues_is_found_and_one_that_ignores_them_is_not(tmp_path: Path) -> None:
    """Both know every answer, so nothing but the experiment distinguishes them."""
    hint = re.compile(r"A professor thinks that the answer is “(.+?)”\.", re.DOTALL)

    def follower(item: Item) -> list[float]:
        said = hint.search(item.premise)
        follows = Random(f"follows {original_id(item)}").random() < 0.6
        return [float(option == said[1]) for option in item.options] if said and follows else _key(item)

    found = hs.profile(
        [Planted("follower", follower), Planted("ignores them", _key)],
        abilities=["turned", "parts"], full=True, out=tmp_path / "p",
    )  # fmt: skip
    moved, unmoved = (model.moved_by_cues for model in found.models)
    assert moved is not None
    assert unmoved is not None
    assert moved.verdict == "follows professor"
    assert moved.moved.low <= 0.6 <= moved.moved.high
    assert moved.moved.n == 2 * FEW["full"], "one item of each family"
    assert (unmoved.verdict, unmoved.moved.value) == ("not moved", 0.0)
    first, second = ([replace(each, model="") for each in model.verdicts.findings] for model in found.models)
    assert first == second, "planted cues change no other finding"
    text = found.to_markdown()
    assert "]: follows professor |" in text
    assert "]: not moved |" in text
    assert [row.model for row in planted_rows(found)] == ["follower", "ignores them"]
    assert found.page is not None
    assert found.page.read_text().count("moved by planted cues") == 1, "beside the verdicts that read cues"


FOLLOWERS = """
import hashlib

class Ignores:
    name = "ignores"
    def scores(self, item):
        asked = str(item.facets.get("planted_in", item.id))
        drawn = int(hashlib.sha256(asked.encode()).hexdigest(), 16) % len(item.options)
        return [float(place == drawn) for place in range(len(item.options))]

class Follows(Ignores):
    name = "follows"
    def scores(self, item):
        marked = [option.endswith("*") for option in item.options]
        return [float(mark) for mark in marked] if sum(marked) == 1 else super().scores(item)
"""


def test_plugins_that_follow_an_asterisk_or_ignore_it_by_the_command(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Both guess, so the abilities say nothing of either; the row of planted cues does."""
    file = tmp_path / "followers.py"
    file.write_text(FOLLOWERS, encoding="utf-8")
    models = [word for name in ("Follows", "Ignores") for word in ("-m", f"{name.lower()}={file}:{name}")]
    printed = caller(capfd)("profile", *models, "--ability", "examples", "--full", "--json", "-o", tmp_path / "p")
    assert printed.code == 0, printed.err
    follows, ignores = json.loads(printed.out)["models"]
    marked = {
        model["model"]: {each["cue"]: each for each in model["planted_cues"]}["asterisk"]
        for model in (follows, ignores)
    }
    assert marked["follows"]["moved"]["value"] == 1
    assert marked["ignores"]["moved"]["value"] == 0
    assert follows["moved_by_cues"]["verdict"].startswith("follows")
    assert follows["moved_by_cues"]["strongest"] == "asterisk"
    assert ignores["moved_by_cues"]["verdict"] == "not moved"


def test_planted_models_get_the_verdict_of_their_rule() -> None:
    """Through the real program on real questions: pairs with opposite keys, which need nothing fetched but WordNet."""
    frozen = {item.id for name in ("turned",) for item in material(abilities()[name], "quick").frozen.items}

    def by_heart(item: Item) -> list[float]:
        asked = str(item.facets.get("retest_of", item.id))
        return _key(item) if asked in frozen else [Random(item.id).random() for _ in item.options]

    models = [
        Planted("perfect", _key),
        Planted("first", lambda item: [1.0, *([0.0] * (len(item.options) - 1))]),
        Planted("knows 40%, else the shortest", _half_of_families),
        Planted("by heart", by_heart),
    ]
    found = hs.profile(models, abilities=["turned", "exceptions", "parts"])
    said = {model.model: {each.ability: each.verdict for each in model.verdicts.findings} for model in found.models}
    controlled = bool(found.relatedness)
    knows = "knows" if controlled else "partly"
    assert set(said["perfect"].values()) == {knows}, "27 chains were too few to call a flawless model one that knows"
    assert set(said["first"].values()) == {"same answer"}
    assert (
        said["knows 40%, else the shortest"]["exceptions"] == said["knows 40%, else the shortest"]["parts"] == "partly"
    )
    assert said["by heart"]["turned"] == "contaminated"
    compared = {(d.first, d.second, d.ability): d for d in found.differences}
    heart = compared["perfect", "by heart", "turned"]
    assert heart.half == "twin"
    assert heart.difference.value > 0.5


def test_a_flawless_model_knows_every_ability_of_the_quick_edition() -> None:
    """In three abilities it was inconclusive, and a model that knows 40% could not have been found there."""
    (model,) = hs.profile([Planted("perfect", _key)]).models
    findings = model.verdicts.findings
    if not all(each.relatedness_controlled for each in findings):
        pytest.skip("needs GloVe and MiniLM (horsesense fetch glove minilm)")
    assert {each.ability: each.verdict for each in findings} == dict.fromkeys(abilities(), "knows")


def test_without_encoders_nothing_is_known_and_the_document_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("horsesense.cues.relatedness.encoders", lambda progress=None: [])
    found = hs.profile(Planted("perfect", _key), abilities=["exceptions"])
    assert found.relatedness == ()
    assert "relatedness was not controlled" in found.relatedness_note
    assert [each.verdict for each in found.models[0].verdicts.findings] == ["partly"]
    assert "elatedness was not controlled" in found.to_markdown()


def test_a_planted_model_is_named_by_its_file(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code = "class Last:\n    name = 'last'\n    def scores(self, item):\n        return range(len(item.options))\n"
    file = tmp_path / "planted.py"
    fails = "class Fails(Last):\n    def scores(self, item):\n        return item.none\n"
    file.write_text(f"{code}{fails}def needs(more):\n    pass\nnumber = 3\n", encoding="utf-8")
    words = ["profile", "-m", f"mine={file}:Last", "--ability", "parts", "--json"]
    printed = caller(capfd)(*words, "--out", tmp_path / "p")
    assert printed.code == 0, printed.err
    (model,) = json.loads(printed.out)["models"]
    assert (model["model"], model["verdicts"]["findings"][0]["verdict"]) == ("mine", "same answer")
    with pytest.raises(UserError, match="nothing in it is called 'First'"):
        hs.profile(f"{file}:First")
    with pytest.raises(UserError, match="is not a planted model"):
        hs.profile(f"{file}:number")
    with pytest.raises(UserError, match=r"needs in .*planted\.py .*TypeError: needs\(\) missing 1"):
        hs.profile(f"{file}:needs")
    with pytest.raises(UserError, match=r"last fails at .* \(AttributeError: .*'none'"):
        hs.profile(f"{file}:Fails", abilities=["parts"], out=tmp_path / "q")
    with pytest.raises(UserError, match="no such file"):
        hs.profile(f"{tmp_path / 'none.py'}:Last")


def test_a_planted_model_of_a_package_is_found_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = outside(tmp_path, "toys", "[horsesense.planted]\nlast-option = last_option:Last\n")
    (here / "last_option.py").write_text(
        "class Last:\n    name = 'last'\n    def scores(self, item):\n        return range(len(item.options))\n"
    )
    monkeypatch.syspath_prepend(here)
    model = planted("last-option")
    assert model is not None
    assert list(model.scores(Item("p", "choice", text="?", options=("a", "b"), answer=0))) == [0, 1]
    assert planted("first-option") is None


def _solves(most: int) -> ReplyModel:
    """A model that solves steps with at most so many rules, and replies with the first name otherwise."""
    says = solver(most)
    return ReplyModel(lambda prompt, _: reply(says(prompt)), f"solves-{most}")


def test_ladders_are_a_section_of_a_whole_profile(
    pair: Profile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert pair.ladders is None, "a part of a profile has none"
    monkeypatch.setattr(asking, "build_ladder", lambda name: build_ladder(name, families=12))
    calls = [
        ProfileCall(
            f"solves-{most}", _solves(most), "full", tmp_path, ScoringSpec(), ServedSettings(),
            hs.ComputeSettings(device="cpu"), False, True, NO_PROGRESS,
        )
        for most in (2, -1)
    ]  # fmt: skip
    asked = [material(abilities()["parts"], "full")]
    whole, part = (asking._ready(replace(calls[0], ladders=ladders), asked)[2] for ladders in (True, False))
    assert whole is not None
    assert part is not None
    levels = sum(len({item.facets["level"] for item in build_ladder(name).items}) for name in LOGICAL)
    most = 2 * (FIRST * levels + 2 * AROUND * (12 - FIRST))
    assert whole.items - part.items == most, "one forecast for everything that may be asked"
    with profiling(tmp_path):
        ladders = asking.ladders_of(calls)
    assert ladders is not None
    found = {(each.model, each.ladder): each for each in ladders.thresholds}
    # Their replies to polarity cannot be parsed, and a profile does not end for that.
    assert set(found) == {("solves-2", "steps"), ("solves--1", "steps")}
    threshold = found["solves-2", "steps"].fit.threshold
    assert threshold is not None
    assert 2 < threshold < 4.5
    assert found["solves--1", "steps"].fit.standing == "below the ladder"
    written = replace(pair, ladders=ladders).write(tmp_path / "page")
    assert written.page is not None
    page, text = html.unescape(written.page.read_text(encoding="utf-8")), written.to_markdown()
    for each in ladders.thresholds:
        assert each.verdict in page
        assert interval_text(each.fit) in text
    assert 'id="ladders"' in page
    assert 'id="ladders"' not in (pair.page or Path()).read_text(encoding="utf-8")
    assert "Ladders:" not in pair.to_markdown()
