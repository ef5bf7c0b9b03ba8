"""The prose check finds each kind of dialect with its place, and leaves code, data and clean prose alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.lint_prose import RULES, check_file, markdown_prose, phrases

SEEDED = {
    "The score cannot be told from chance.": "told",
    "Every score is held\nagainst the best cue.": "held against",
    "70% is like guessing.": "like guessing",
    "The one number is 0.07.": "one number",
    "It writes one file a shard.": "file a shard",
    "A language model is no person.": "is no person",
    "It is fast. Of the items, two are bad.": "Of",
    "A killed run goes on where it stopped.": "goes on",
    "The table stands below.": "stands",
    "Whoever guesses gets 0.": "Whoever",
    "It takes a minute of processor time.": "processor time",
    "95 % of them": "5 %",
    "Two models of the same kin.": "kin",
    "The planted faults were found.": "planted faults",
}
CLEAN = """# Verdicts

There is no GPU on this machine, and the cache is no longer needed. Scores are compared with chance, per ability.
`told` and `--dose` are code, as is [this](told.md). A tokenizer has a post-processor. Some 95% of models, of course,
are not above chance; *pmi* stands for pointwise mutual information.

```sh
horsesense told --like guessing
```

<!-- sizes: begin -->
| told |
<!-- sizes: end -->
"""


@pytest.mark.parametrize(("text", "phrase"), SEEDED.items())
def test_a_seeded_phrase_is_found(text: str, phrase: str) -> None:
    assert phrase in [each.text for each in phrases(text)]


def test_clean_prose_passes() -> None:
    assert list(phrases(markdown_prose(CLEAN))) == []


def test_the_line_of_a_phrase_is_that_of_the_file(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# Title\n\n```sh\ntold\n```\n\n<!-- told\ntold -->\nIt was `told` and\nheld\nagainst it.\n", encoding="utf-8"
    )
    assert [(each.line, each.text) for each in check_file(page, "page.md")] == [(10, "held against")]


def test_texts_of_templates_scripts_and_modules_are_read_and_their_code_is_not(tmp_path: Path) -> None:
    texts = {
        "page.html.j2": '<p class="told" title="It is told">{{ told }}\n{% if told %}like guessing{% endif %}</p>\n',
        "page.js": 'const told = kept;\n// told\nsay("It is told", `like ${told} a guess`, "told");\n',
        "module.py": '"""It is told."""\ntold = "told"\nraise ValueError(f"{told} is like guessing")\n'
        'said = "He told her."  # data, not prose\n',
    }
    found = {}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        found[name] = [(each.line, each.text) for each in check_file(tmp_path / name, name)]
    assert found == {
        "page.html.j2": [(1, "told"), (2, "like guessing")],
        "page.js": [(3, "told")],
        "module.py": [(1, "told"), (3, "like guessing")],
    }


def test_every_rule_has_something_to_write_instead() -> None:
    assert all(rule.instead and rule.instead not in rule.pattern for rule in RULES)
