"""``horsesense import``: its document, and sixty ways to get it wrong."""

from __future__ import annotations

import gzip
import io
import json
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from horsesense.cli import main
from horsesense.core import read_probe
from tests.support.calling import hold_to

SEP = "\x01"
WINOVENTI = (
    "Word\tAssociative Bias\tAlternative\tbiased_word_context\tadversarial_word_context\tmasked_prompt\ttarget\t"
    "incorrect\ttest_type\npan\thot\tcold\tstove\tfridge\tThe pan was on the stove. It is [MASK].\thot\tcold\t1\n"
)
SIX = ["original", "negated", "asymmetric_premise", "asymmetric_conclusion"]
SIX += ["negated_asymmetric_premise", "negated_asymmetric_conclusion"]
AXIOM = {key: ["Wet(A), so More(soft(A), soft(B))", ["A is wet, so A is more soft than B"]] for key in SIX}
TRIPLE = {"whole": "box", "part": "lid", "jj": "red", "label": "4", "bin_label": "1"}
NLI = TRIPLE | {"sentence1": "A red box.", "sentence2": "The box's lid is red."}
CHOICES = [{"text": "bird", "label": "0"}, {"text": "fish", "label": "1"}]
QUESTION: dict[str, Any] = {
    "id": "1",
    "question": {"stem": "'wren' is a type of", "choices": CHOICES},
    "answerKey": "0",
    "notes": {"gold_synset": "wren.n.01", "chain": "wren.n.01=>bird.n.01", "hops": 1},
}

GOOD: dict[str, dict[str, str]] = {
    "cats": {"sm.txt": f"1{SEP}we ate sand{SEP}we ate rice\n0{SEP}ice is cold{SEP}ice is hot\n"},
    "cats-robust": {"add.txt": f"1{SEP}a{SEP}b{SEP}0{SEP}not a{SEP}not b\n"},
    "cats-raw": {"sm.txt": f"1{SEP}we ate sand {SEP}we ate rice\n0{SEP}ice is cold{SEP}ice is hot\n"},
    "cats-robust-raw": {"add.txt": f"1{SEP}a {SEP}b{SEP}0{SEP}not a{SEP}not b\n"},
    "rica": {
        "test_sentences.txt": "wob is wet, so wob is more soft than zim\n",
        "m.txt": "more\n",
        "config.txt": "['more', 'less']\n",
    },
    "rica-axioms": {"axioms.jsonl": json.dumps(AXIOM) + "\n"},
    "winoventi": {"w.tsv": WINOVENTI},
    "partwhole": {"dev.csv": "whole,part,jj,label,bin_label\r\nbox,lid,red,4,1\r\n"},
    "partwhole-nli": {"nli_dev.jsonl": json.dumps(NLI) + "\n"},
    "mcqa": {"train.jsonl": json.dumps(QUESTION) + "\n"},
}


def run(*arguments: object) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command, in this process."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    return code, out.getvalue(), err.getvalue()


def lay(folder: Path, contents: dict[str, str] | dict[str, bytes]) -> list[Path]:
    for name, content in contents.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return [folder / name for name in contents]


@pytest.mark.parametrize("release", GOOD)
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gz"])
def test_the_document(release: str, packed: bool, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    contents = {name: text.encode() for name, text in GOOD[release].items()}
    if packed:
        contents = {f"{name}.gz": gzip.compress(text) for name, text in contents.items()}
    out = tmp_path / "probe.jsonl"
    with pytest.raises(SystemExit) as stop:
        main(["import", release, *map(str, lay(tmp_path, contents)), "-o", str(out), "--json"])
    assert stop.value.code == 0
    document = json.loads(capfdbinary.readouterr().out)
    hold_to("import", document)
    probe = read_probe(out)
    assert document["items"] == len(probe.items)
    assert document["families"] == probe.card.families
    assert document["notes"] == probe.card.notes
    assert document["group"] == probe.card.group
    assert {item.probe for item in probe.items} == {release} == {probe.card.name}
    groups = set.intersection(*({"family", *item.groups} for item in probe.items))
    assert probe.card.group in groups, "the card names a group that its items have"


def test_what_people_see(tmp_path: Path) -> None:
    code, out, err = run("import", "partwhole", *lay(tmp_path, GOOD["partwhole"]), "-o", tmp_path / "p.jsonl")
    assert (code, err) == (0, "")
    assert "1 items" in out
    assert "CRLF line ends: 2" in out


def test_the_unit_of_a_table_is_said(tmp_path: Path) -> None:
    files = lay(tmp_path, {"quiz.csv": "q,a,b,key,country\nIs ice hot?,yes,no,b,Peru\nIs tar hot?,yes,no,b,Peru\n"})
    columns = "question=q,options=a+b,answer=key,group=country"
    code, out, err = run("import", "table", *files, "--columns", columns, "-o", tmp_path / "q.jsonl")
    assert (code, err) == (0, "")
    assert "2 items in 2 families, clustered by country" in out
    assert read_probe(tmp_path / "q.jsonl").card.group == "country"


def changed(values: dict[str, Any], **changes: Any) -> str:
    return json.dumps({k: v for k, v in (values | changes).items() if v is not ...})


def noted(**changes: Any) -> str:
    return changed(QUESTION, notes={k: v for k, v in (QUESTION["notes"] | changes).items() if v is not ...})


def rows(**changes: str) -> str:
    header, row = (line.split("\t") for line in WINOVENTI.splitlines())
    return "\t".join(header) + "\n" + "\t".join(changes.get(name, cell) for name, cell in zip(header, row, strict=True))


PW = "whole,part,jj,label,bin_label\n"
LINE = GOOD["cats"]["sm.txt"]
BAD: list[tuple[str, dict[str, str] | dict[str, bytes], str]] = [
    # a release that there is not, or other files than it wants
    ("catz", {"sm.txt": LINE}, "there is no release 'catz'; did you mean 'cats'?"),
    ("WINOVENTI", {"w.tsv": WINOVENTI}, "there is no release 'WINOVENTI'"),
    ("rica", {"s.txt": "A is wet, so A is more soft than B"}, "1 file was given for rica"),
    ("rica", dict.fromkeys("abcd", "more"), "4 files were given for rica"),
    # content that is no release at all
    ("cats", {"sm.txt": ""}, "sm.txt: the file is empty"),
    ("mcqa", {"t.jsonl": "\n \n"}, "t.jsonl: the file is empty"),
    ("cats", {"sm.txt": b"1\x01caf\xe9\x01tea\n"}, "sm.txt:1: byte 0xe9 is not UTF-8"),
    ("cats", {"sm.txt.gz": gzip.compress(LINE.encode())[:-9]}, "the gzipped file is damaged"),
    ("cats", {"sm.txt": b"\x1f\x8bnot gzip"}, "the gzipped file is damaged"),
    # cats
    ("cats", {"sm.txt": LINE + "\n" + LINE}, "sm.txt:3: the line is empty"),
    ("cats", {"sm.txt": LINE + f"2{SEP}a{SEP}b\n"}, "sm.txt:3: the answer 2 is"),
    ("cats", {"sm.txt": LINE + f"-1{SEP}a{SEP}b\n"}, "sm.txt:3: the answer '-1'"),
    ("cats", {"sm.txt": f"one{SEP}a{SEP}b\n"}, "sm.txt:1: the answer 'one'"),
    ("cats", {"sm.txt": f"\u00b2{SEP}a{SEP}b\n"}, "sm.txt:1: the answer"),
    ("cats", {"sm.txt": f"0{SEP}a\n"}, "sm.txt:1: the line has 2 fields"),
    ("cats", {"sm.txt": "0,a,b\n"}, "sm.txt:1: the line has 1 fields"),
    ("cats", {"sm.txt": f"0{SEP}a{SEP} \n"}, "sm.txt:1: option 1 is empty"),
    ("cats", GOOD["cats-robust"], "add.txt:1: this is a line of the robust tests"),
    ("cats-robust", GOOD["cats"], "sm.txt:1: the line has 3 fields"),
    ("cats-robust", {"add.txt": f"0{SEP}a{SEP}b{SEP}x{SEP}c{SEP}d"}, "add.txt:1: the answer 'x'"),
    # rica
    ("rica", {"s.txt": "A is wet, so A is soft", "m.txt": "more"}, "s.txt:1: the word 'more'"),
    ("rica", {"s.txt": "A is more, so A is soft", "m.txt": "more"}, "s.txt:1: the word 'more'"),
    ("rica", {"s.txt": "A is wet, so A is ___ more", "m.txt": "more"}, "s.txt:1: the statement already has a blank"),
    ("rica", {"s.txt": "a\nb", "m.txt": "more"}, "m.txt: the file has 1 lines and s.txt has 2"),
    ("rica", {"m.txt": "more\nmore", "s.txt": "A is wet\nA is dry"}, "s.txt:1: 'A is wet' is not one word"),
    ("rica", {"s.txt": "A, so A is wettish", "m.txt": "wettish"}, "s.txt:1: the opposite of 'wettish' is unknown"),
    ("rica", {"s.txt": "A\nA, so A is more", "m.txt": "\nmore"}, "m.txt:1: the line is empty"),
    (
        "rica",
        {"s.txt": b"A is dry, so A is more soft than B", "m.txt": b"more", "c.txt": b"['caf\xe9']"},
        "c.txt:1: byte 0xe9 is not UTF-8",
    ),
    *[
        ("rica", GOOD["rica"] | {"config.txt": config}, f"config.txt:1: {told}")
        for config, told in [
            ("['less', 'worse']", "the config line does not pair 'more'"),
            ("['more', 'more']", "the config line does not pair 'more'"),
            ("['more']", "the config line is not a list of two words"),
            ("more less", "the config line is not a list of two words"),
            ("__import__('os')", "the config line is not a list of two words"),
        ]
    ],
    # rica-axioms
    ("rica-axioms", {"a.jsonl": "{"}, "a.jsonl:1: the line is not JSON"),
    ("rica-axioms", {"a.jsonl": "[1]"}, "a.jsonl:1: the line is not a JSON object"),
    ("rica-axioms", {"a.jsonl": changed(AXIOM, negated=...)}, "a.jsonl:1: the axiom lacks 'negated'"),
    (
        "rica-axioms",
        {"a.jsonl": changed(AXIOM, turned=1)},
        "a.jsonl:1: the axiom has the unknown perturbation 'turned'",
    ),
    ("rica-axioms", {"a.jsonl": changed(AXIOM, negated=["L(A)", []])}, "a.jsonl:1: 'negated' is not a logical form"),
    ("rica-axioms", {"a.jsonl": changed(AXIOM, negated=["L(A)", ["A, so B"]])}, "a.jsonl:1: there is no known compar"),
    # winoventi
    ("winoventi", {"w.tsv": WINOVENTI.replace("incorrect", "wrong")}, "w.tsv:1: the column 'incorrect' is missing"),
    ("winoventi", {"w.tsv": WINOVENTI.replace("\t", ",")}, "w.tsv:1: the column 'Word' is missing"),
    ("winoventi", {"w.tsv": b"\xff\n"}, "w.tsv:1: byte 0xff is not UTF-8"),
    ("winoventi", {"w.tsv": WINOVENTI.splitlines()[0] + "\n"}, "no item of winoventi"),
    ("winoventi", {"w.tsv": WINOVENTI + "pan\thot\n"}, "w.tsv:3: the line has 2 fields and the header 9"),
    ("winoventi", {"w.tsv": rows(test_type="3")}, "w.tsv:2: the test_type 3 is"),
    ("winoventi", {"w.tsv": rows(test_type="0")}, "w.tsv:2: the test_type is neither"),
    ("winoventi", {"w.tsv": rows(target="cold")}, "w.tsv:2: the target 'cold' does not fit"),
    ("winoventi", {"w.tsv": rows(masked_prompt="The pan is hot.")}, "w.tsv:2: the prompt has 0 [MASK]"),
    ("winoventi", {"w.tsv": rows(masked_prompt="[MASK] [MASK]")}, "w.tsv:2: the prompt has 2 [MASK]"),
    ("winoventi", {"w.tsv": rows(masked_prompt="____ is [MASK].")}, "w.tsv:2: a blank is written"),
    ("winoventi", {"w.tsv": rows(Word=" ")}, "w.tsv:2: the column 'Word' is empty"),
    # partwhole
    ("partwhole", {"d.csv": "box,lid,red,4,1\n"}, "d.csv:1: the column 'whole' is missing"),
    ("partwhole", {"d.csv": PW + "box,lid,red,5,1\n"}, "d.csv:2: the label 5 is not a number from 0 to 4"),
    ("partwhole", {"d.csv": PW + "box,lid,red,4,2\n"}, "d.csv:2: the bin_label 2 is"),
    ("partwhole", {"d.csv": PW + "box,,red,4,1\n"}, "d.csv:2: the field 'part' is empty"),
    ("partwhole", {"d.csv": PW + "box,lid,red,4\n"}, "d.csv:2: the line has 4 fields and the header 5"),
    ("partwhole", {"d.csv": PW + '"box,lid,red,4,1\n'}, "d.csv:2: the line cannot be split"),
    ("partwhole-nli", GOOD["partwhole"], "dev.csv:1: the line is not JSON"),
    ("partwhole-nli", {"n.jsonl": changed(NLI, sentence1=...)}, "n.jsonl:1: the field 'sentence1' is missing"),
    ("partwhole-nli", {"n.jsonl": changed(NLI, sentence2=3)}, "n.jsonl:1: the field 'sentence2' is not text"),
    ("partwhole-nli", {"n.jsonl": changed(NLI, label=True)}, "n.jsonl:1: the label True"),
    # mcqa
    ("mcqa", {"t.jsonl": changed(QUESTION, answerKey="7")}, "t.jsonl:1: the answerKey '7'"),
    ("mcqa", {"t.jsonl": changed(QUESTION, answerKey=...)}, "t.jsonl:1: the answerKey 'None'"),
    ("mcqa", {"t.jsonl": changed(QUESTION, notes=...)}, "t.jsonl:1: the line has no 'question' and 'notes'"),
    ("mcqa", {"t.jsonl": changed(QUESTION, question={"stem": "x"})}, "t.jsonl:1: the question has no list of choices"),
    ("mcqa", {"t.jsonl": changed(QUESTION, question={"stem": "x", "choices": [CHOICES[0]] * 2})}, "the same label"),
    ("mcqa", {"t.jsonl": noted(gold_synset=...)}, "t.jsonl:1: the field 'gold_synset' is missing"),
    ("mcqa", {"t.jsonl": noted(hops=-1)}, "t.jsonl:1: the hops -1"),
    ("mcqa", {"t.jsonl": noted(hops=2**70)}, "t.jsonl:1: the hops"),
    ("mcqa", GOOD["rica-axioms"], "axioms.jsonl:1: the line has no 'question'"),
    # table (the map is added below)
    ("table", {"t.csv": "q,a,b\nWhy?,x,y\n"}, "t.csv:1: there is no column 'key'; known: a, b, q"),
    ("table", {"t.csv": "q,a,b,key\nWhy?,x,y,z\n"}, "or skip such lines with --skip-bad"),
    ("table", {"t.csv": "q,a,b,key\nWhy?,x,y,0\nWhy?,x\n"}, "t.csv:3: "),
    ("table", {"t.jsonl": '{"q": "Why?", "a": "x", "b": ["y"], "key": 0}'}, "t.jsonl:1: the column 'b' holds neither"),
    (
        "table",
        {"t.json": '[{"q": "W?", "a": "x", "b": "y", "key": 0}, 3]'},
        "t.json:2: an entry of the list is not an object",
    ),
    ("table", {"t.json": "["}, "t.json: the JSON list is damaged or cut off after 0 elements"),
]


@pytest.mark.parametrize(("release", "contents", "told"), BAD, ids=[f"{n}-{case[0]}" for n, case in enumerate(BAD)])
def test_bad_input_is_one_sentence(
    release: str, contents: dict[str, str] | dict[str, bytes], told: str, tmp_path: Path
) -> None:
    extra = ["--columns", "question=q,options=a+b,answer=key"] if release == "table" else []
    code, out, err = run("import", release, *lay(tmp_path, contents), "-o", tmp_path / "out" / "p.jsonl", *extra)
    assert told in err
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert not (tmp_path / "out").exists(), "nothing is written"


def test_bad_paths(tmp_path: Path) -> None:
    (good,) = lay(tmp_path, GOOD["cats"])
    before = sorted(tmp_path.rglob("*"))
    calls = [
        (("cats", tmp_path / "none.txt", "-o", tmp_path / "p.jsonl"), "none.txt: no such file or folder"),
        (("cats", tmp_path, "-o", tmp_path / "p.jsonl"), "this is a folder, not a file"),
        (("cats", good, "-o", tmp_path / "p.csv"), "p.csv: the ending of the name is unknown"),
        ((good, "-o", tmp_path / "p.jsonl"), f"for a table: horsesense import table {good}"),
        (("cats", good, "-o", good), "would overwrite its input"),
        (("cats", good, "-o", good / "p.jsonl"), "a file of that name is in the way"),
        (("cats", good / "x.txt", "-o", tmp_path / "p.jsonl"), "a part of the path is a file"),
        (("cats", good, "-o", tmp_path / f"{'n' * 300}.jsonl"), "the name is too long"),
        (("cats", good, "--columns", "options=a", "-o", tmp_path / "p.jsonl"), "--columns and --name are for a table"),
        (("table", good, "-o", tmp_path / "p.jsonl"), "sm.txt:1: the columns are of no layout that is known here"),
        (
            ("table", good, "--columns", "question=a", "-o", tmp_path / "p.jsonl"),
            "--columns does not say where the",
        ),
    ]
    for arguments, told in calls:
        code, out, err = run("import", *arguments)
        assert told in err
        assert (code, out, err.count("\n")) == (2, "", 1)
    assert sorted(tmp_path.rglob("*")) == before


def test_rows_without_an_answer_are_counted(tmp_path: Path) -> None:
    (path,) = lay(tmp_path, {"t.csv": "q,a,b,key\nWhy?,x,y,A\nHow?,x,y,\nWho?,x,y,B\n"})
    columns = ("--columns", "question=q,options=a+b,answer=key")
    code, out, _ = run("import", "table", path, *columns, "-o", tmp_path / "p.jsonl")
    assert (code, "1 item without a gold answer" in out) == (0, True)


def test_skip_bad_skips_and_counts(tmp_path: Path) -> None:
    (path,) = lay(tmp_path, {"sm.txt": LINE.encode() + b"\xff\n\n0\x01x\n" + b"1\x01up\x01down\n"})
    code, out, err = run("import", "cats", path, "-o", tmp_path / "p.jsonl", "--skip-bad")
    assert code == 0
    assert "bad lines skipped: 3" in out
    assert [line.partition("sm.txt:")[2][:2] for line in err.splitlines()] == ["3:", "4:", "5:"]
    assert f"skipped {path}:3: byte 0xff is not UTF-8" in err
    assert len(read_probe(tmp_path / "p.jsonl").items) == 3
    (bad,) = lay(tmp_path, {"bad.txt": "nothing\nof\nit\n"})
    code, _, err = run("import", "cats", bad, "-o", tmp_path / "q.jsonl", "--skip-bad")
    assert (code, err.count("\n")) == (2, 1)
    assert "bad.txt:1: " in err


@st.composite
def damaged(draw: st.DrawFn) -> tuple[str, dict[str, bytes]]:
    """A good import with a few bytes of one file cut out, put in or changed; or only noise."""
    release = draw(st.sampled_from(sorted(GOOD)))
    contents = {name: text.encode() for name, text in GOOD[release].items()}
    name = draw(st.sampled_from(sorted(contents)))
    content = bytearray(contents[name])
    if draw(st.booleans()):
        content = bytearray(draw(st.binary(max_size=60)))
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(content)))
        content[place : place + draw(st.integers(0, 4))] = draw(
            st.one_of(st.binary(max_size=3), st.just(b'"{[0],\n\t'))
        )
    return release, contents | {name: bytes(content)}


@settings(max_examples=150, deadline=None)
@given(damaged(), st.booleans())
def test_no_file_makes_it_fail_unexpectedly(case: tuple[str, dict[str, bytes]], skip: bool) -> None:
    release, contents = case
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out" / "p.jsonl"
        flags = ["--skip-bad"] if skip else []
        code, _, err = run("import", release, *lay(Path(folder), contents), "-o", out, *flags)
        assert code in (0, 2), err
        assert out.exists() == (code == 0)
        if code == 0:
            assert read_probe(out).items
        else:
            assert err.count("\n") == 1
