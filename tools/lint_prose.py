"""Check prose for words that readers have to decode, and say what to write instead.

Run: python -m tools.lint_prose [docs] [templates] [help] [python] [--counts]

Sections: ``docs`` (README, CHANGELOG and the other pages at the top, docs/ and the examples), ``templates`` (Jinja and
JavaScript of the pages), ``help`` (the help of every command, as it is printed) and ``python`` (docstrings and messages
in src/). Without a section the first three are checked. Code, identifiers, quoted data and link targets are not prose
and are left out. ``--counts`` prints the number of phrases per folder instead of each phrase. The exit code is 1 if a
phrase was found.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
SECTIONS = ("docs", "templates", "help", "python")


@dataclass(frozen=True, slots=True)
class Rule:
    """A phrase to avoid."""

    pattern: str
    """Regular expression without regard to case; a phrase may run over a line end."""
    instead: str
    """What to write."""
    unless: str = ""
    """Regular expression of ordinary uses: a match within one of these is allowed."""


_EACH = (
    "GPU batch item token model probe line page second minute ability shard row file option set family person request "
    "question seed worker folder command pair machine answer split group letter value subject"
)
_MANY = (
    "tokens items questions one two three rows? lines? files? requests words copy copies GB points workers votes "
    "labels claims input page subject person item task verdict answer number sentence box"
)
_BARE_ARTICLE = rf"\b(?:{'|'.join(_MANY.split())}) an? (?:{'|'.join(_EACH.split())})\b"
RULES = (
    # Distinguish, report, infer, compare.
    Rule(r"\b(?:told|tells?|telling)\b", "say, show, report, distinguish, infer", r"told you so|\"told her that\""),
    Rule(r"\b(?:held|hold|holds|holding) (?:[\w`*'’]+ ){0,4}?against\b", "compared with, checked against"),
    Rule(r"\b(?:set|sets) (?:[\w`*'’]+ ){0,3}?against\b", "compared with"),
    # Verdicts and numbers.
    Rule(r"\b(?:like|from|above|below) guessing\b", "not above chance, above chance, below chance"),
    Rule(r"\b(?:what|where) guessing (?:gives|earns|gets|lies)\b", "chance, the chance level"),
    Rule(r"\btoo few items\b", "inconclusive"),
    Rule(r"\bone number\b", "overall score", r"one number (?:per|for each|of)|(?:of|with) one number"),
    Rule(r"\bsurplus\b", "chance-corrected score"),
    Rule(r"\*beyond\*|\bbeyond all explanations\b|\bknown beyond\b", "adjusted score"),
    Rule(r"\*\*Kept\*\*|\*kept\*|\bshare kept\b|\bis kept of\b", "retention"),
    Rule(r"\bmemory (?:or sense|and sense|of a set|that pays)|\bcalled memory\b|\bfinds? memory\b", "contamination"),
    Rule(r"\b(?:surely|surer|surest)\b", "significantly, with level and correction; most confident"),
    Rule(r"\b(?:settle[sd]?|settling)\b", "significant, decide, resolve"),
    Rule(r"\bbest that can be (?:reached|had)\b|\breachable best\b|\bcan be reached\b", "ceiling"),
    Rule(r"\bcan be had\b", "can be answered, can be scored"),
    # Items and audits.
    Rule(r"\b(?:planted|plants?|planting) (?:faults?|errors?)\b", "seeded errors"),
    Rule(r"\bsoundness\b|\bhow sound\b|\bsound (?:items?|questions?|ones?|and)\b|\bin itself sound\b", "label quality"),
    Rule(r"\b(?:un)?sound\b", "valid, correct; label quality",
         r"(?:a|the|that) sound of|sounds? (?:like|of)|is a sound"),
    Rule(r"\b(?:blind|second|first|own|a|the|all|these) readings?\b", "blind audit", r"the reading of (?:the )?files?"),
    Rule(r"\bread(?:s|ing)? (?:them |it )?(?:again )?blind\b|\bblind readers?\b", "audited blind, auditor"),
    Rule(r"\bturned round\b|\bturns? (?:it|them) round\b", "reversed"),
    Rule(r"\btext against habit\b", "context versus prior"),
    Rule(r"\bmade out\b", "parsed", r"made out of"),
    Rule(r"\bunits? of (?:dependence|intervals)\b|\b(?:over|whole|its|card's|the) units?\b", "cluster",
         r"the units? of the (?:paper|figure)"),
    Rule(r"\bdoses?\b", "training-set size"),
    Rule(r"\bkin\b", "related models"),
    Rule(r"\b(?:the|a) release(?:d sets?)?\b|\breleases\b|\breaders? of releases\b", "published dataset",
         r"the release (?:checklist|notes)|releases? of the (?:program|package)|releases (?:its|their) cores"),
    # Asking.
    Rule(r"\bways? of asking\b|\bother ways\b|\bin (?:several|both|all|two) ways\b", "prompt formats"),
    Rule(r"\bwhat begins a text\b|\bbegins? a text\b", "BOS token"),
    Rule(r"\bask(?:ed|ing|s)? anew\b|\banew\b", "again"),
    Rule(r"\b(?:another|other|second|the|an|two|each) askings?\b", "condition, prompt format, question"),
    Rule(r"\bthe hub\b|\bhub names?\b|\bmodel hub\b", "Hugging Face Hub"),
    # Grammar.
    Rule(r"\b[Ww]hoever\b|\b[Ww]homever\b", "name the actor"),
    Rule(_BARE_ARTICLE, '"per" instead of the bare article'),
    Rule(
        r"\b(?:is|are|was|were) no (?!(?:longer|more|less|fewer|better|worse|one|matter|higher|lower)\b)\w+",
        '"is not a", "are not"',
        r"\bthere (?:is|are|was|were) no\b",
    ),
    Rule(r"\b(?:is|are) (?-i:none)\b", '"is not a", name it', r"\bthere (?:is|are) none\b"),
    Rule(r"(?:(?<=[.!?:]\s)|(?<=\n\n)|(?<=[-*|]\s))(?-i:Of) (?!course)", "no fronted \"of\": start with the subject"),
    Rule(r"\b(?:goes|go|went|going) on\b", "resumes, continues"),
    Rule(r"\b(?:stands?|stood)\b(?!-| (?:for|out|in for)\b)", "is, appears, is stored", r"\bas it stands\b"),
    Rule(r"\b(?:lies|lain|lay)\b", "is, is stored"),
    Rule(r"\bis another (?:model|version|spec|probe)\b|\bare others\b", "differs, is a different"),
    Rule(r"\bforetold\b|\bforetells?\b", "forecast, predicted"),
    Rule(r"\b[Rr]emark(?:s|ed)? on\b|\bremarks?\b", "warn, warning, comment"),
    Rule(r"\bis said once\b|\bsaid so\b|\bit is said\b", "reported, stated"),
    Rule(r"\bwithout a word\b|\bin silence\b", "silently"),
    Rule(r"\bone's own\b", "your own"),
    Rule(r"\bliking for\b", "preference for"),
    Rule(r"\b(?:mend|mends|mended)\b", "fix, fixed"),
    Rule(r"\bquiet (?:cores?|machine)\b|\bbusy cores?\b", "idle cores"),
    Rule(r"\blooks? at (?:all|each|every) of\b", "checks"),
    # Figures.
    Rule(r"\d %", "95%, without a space"),
    Rule(r"\bprocessor(?:s)?(?: time)?\b", "CPU, CPU time", r"post-?processors?"),
    Rule(r"\bby the clock\b", "wall time"),
    Rule(r"\bon the card\b(?= \(\d)|\bGiB on the card\b|\bbeside it on the card\b", "on the GPU"),
    Rule(r"\bwanted\b", "target, requested"),
    # The code.
    Rule(r"\bthe house\b|\ba house\b|\bone house\b|\bin the house of\b", "package"),
    Rule(r"\brooms?\b", "layer, space"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Allowed:
    """A use of a word in its ordinary sense."""

    where: str
    """End of the path, or empty for every file."""
    context: str
    """Regular expression that has to match around the phrase."""
    reason: str


ALLOWED = (
    Allowed("docs/methods/rica.md", r"wob is made", "an example sentence of the paper"),
    Allowed("methods/cats/step_accuracy.py", r"left went came|sat stood met", "a list of verbs"),
    Allowed("methods/rica/type_constraints.py", r"gives tells shows|lie egg|lay egg", "a list of verbs"),
    Allowed("methods/winoventi/writer_and_judge.py", r"Everyone in the house", "an example sentence"),
    Allowed("scoring/prompts.py", r"goes on best", "a prompt: another wording would change scores"),
    Allowed("", r"answered <=? wanted", "a column of a database"),
)


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase that was found."""

    path: str
    line: int
    text: str
    instead: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text!r}; write: {self.instead}"


def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.replace(" ", " +"), re.IGNORECASE)


_COMPILED = tuple((_compile(rule.pattern), rule.unless and _compile(rule.unless), rule) for rule in RULES)


def phrases(text: str, path: str = "", first_line: int = 1) -> Iterator[Phrase]:
    """The phrases to avoid in plain text.

    >>> [str(each) for each in phrases("Scores are held against chance.")]
    [":1: 'held against'; write: compared with, checked against"]
    >>> list(phrases("Scores are compared with chance."))
    []
    """
    joined = re.sub(r"(?<!\n)\n(?!\n)", " ", text)  # of the same length, so that an offset gives the line
    for pattern, ordinary, rule in _COMPILED:
        for match in pattern.finditer(joined):
            start, end = max(0, match.start() - 60), match.end() + 60
            if ordinary and any(
                each.start() < match.end() and each.end() > match.start()
                for each in ordinary.finditer(joined, start, end)
            ):
                continue
            around = " ".join(joined[start:end].split())
            if any(path.endswith(each.where) and re.search(each.context, around) for each in ALLOWED):
                continue
            line = first_line + text.count("\n", 0, match.start())
            yield Phrase(path, line, " ".join(match[0].split()), rule.instead)


def _blank(match: re.Match[str]) -> str:
    """As many line ends as before, so that line numbers stay right."""
    return "\n" * match[0].count("\n") or " "


def markdown_prose(text: str) -> str:
    """Markdown without code, link targets, comments and tables that a command writes.

    >>> markdown_prose("See `told` in [the page](told.md).").split()
    ['See', 'in', '[the', 'page]', '.']
    """
    for pattern in (r"<!-- (\w+): begin -->.*?<!-- \1: end -->", r"^[ \t]*```.*?^[ \t]*```[ \t]*$", r"<!--.*?-->"):
        text = re.sub(pattern, _blank, text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"(?:^ {4}.*\n)+(?=\n|\Z)", _blank, text, flags=re.MULTILINE)
    text = re.sub(r"``?[^`\n]+(?:\n[^`\n]+)?``?", _blank, text)
    return re.sub(r"(?<=\])\([^)\s]*\)", " ", text)


def template_prose(text: str) -> str:
    """A Jinja template without expressions, statements, scripts, styles and tags; titles and labels stay.

    >>> template_prose('<p class="told" title="A dot">{{ told }} is the score</p>').split()
    ['A', 'dot', 'is', 'the', 'score']
    """
    for pattern in (r"<(style|script)\b.*?</\1>", r"\{#.*?#\}", r"\{%.*?%\}", r"\{\{.*?\}\}"):
        text = re.sub(pattern, _blank, text, flags=re.DOTALL)

    def tag(match: re.Match[str]) -> str:
        said = re.findall(r'(?:title|aria-label|alt|placeholder|content)="([^"]*)"', match[0])
        return " " + " ".join(said) + " " + "\n" * (match[0].count("\n") - " ".join(said).count("\n"))

    return re.sub(r"<[^<>]+>", tag, text, flags=re.DOTALL)


def script_strings(text: str) -> Iterator[tuple[int, str]]:
    """The strings of a script that hold more than one word, each with its line."""
    text = re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE)
    for match in re.finditer(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`', text):
        said = re.sub(r"\$\{[^}]*\}", " ", match[1] or match[2] or "")
        if " " in said.strip():
            yield text.count("\n", 0, match.start()) + 1, said


def python_strings(text: str) -> Iterator[tuple[int, str]]:
    """Docstrings, help texts and messages of a module: its string literals of more than one word, with their lines.

    Example sentences and the like are left out by a comment ``# data, not prose`` in their line.

    >>> list(python_strings("x = 'told'\\ny = 'it is told'"))
    [(2, 'it is told')]
    """
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value.strip():
            if any(lines[i - 1].endswith("# data, not prose") for i in (node.lineno, node.end_lineno or node.lineno)):
                continue
            examples = r"^ *>>> .*?(?=\n\s*\n|\Z)"  # with their output
            prose = re.sub(examples, _blank, node.value, flags=re.MULTILINE | re.DOTALL)
            yield node.lineno, re.sub(r"``?[^`\n]+``?", " ", prose)


def check_file(path: Path, name: str) -> Iterator[Phrase]:
    """The phrases to avoid in one file, by its kind."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        yield from phrases(markdown_prose(text), name)
    elif path.suffix == ".j2":
        prose = template_prose(text)
        yield from phrases(markdown_prose(prose) if path.name.endswith(".md.j2") else prose, name)
    elif path.suffix == ".py" and path.parent.name == "examples":
        comments = re.sub(r"^(?!#).*$", "", text, flags=re.MULTILINE)
        yield from phrases(markdown_prose(re.sub(r"^# ?(?:%%.*)?", "", comments, flags=re.MULTILINE)), name)
    else:
        for line, said in script_strings(text) if path.suffix == ".js" else python_strings(text):
            yield from phrases(said, name, line)


def files(section: str) -> Iterable[Path]:
    """The files of a section; a page that a command writes is checked where its text is written."""
    source = ROOT / "src" / "horsesense"
    if section == "docs":
        top = [path for path in sorted(ROOT.glob("*.md")) if path.name != "CODE_OF_CONDUCT.md"]
        pages = [path for path in sorted((ROOT / "docs").rglob("*.md")) if path.name != "replication.md"]
        return [
            *top,
            *pages,
            source / "models" / "data" / "smollm2-masked.md",
            *sorted((ROOT / "examples").glob("*.py")),
        ]
    if section == "templates":
        return sorted(path for suffix in ("*.j2", "*.js") for path in source.rglob(suffix))
    return sorted(source.rglob("*.py"))


def help_texts() -> Iterator[tuple[str, str]]:
    """Every command with its help text."""
    import click

    from horsesense.cli.app import root

    def below(command: click.Command, path: str) -> Iterator[tuple[str, str]]:
        yield path, command.get_help(click.Context(command, info_name=path, max_content_width=10_000))
        for name, each in sorted(getattr(command, "commands", {}).items()):
            yield from below(each, f"{path} {name}")

    return below(root().load_all(), "horsesense")


def found(section: str) -> Iterator[tuple[str, Phrase]]:
    """The phrases of a section, each with its file or command."""
    if section == "help":
        for command, text in help_texts():
            yield from ((command, phrase) for phrase in phrases(text, command))
        return
    for path in files(section):
        name = path.relative_to(ROOT).as_posix()
        yield from ((name, phrase) for phrase in check_file(path, name))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"{', '.join(SECTIONS)} [docs templates help]")
    parser.add_argument("--counts", action="store_true", help="the number of phrases per folder")
    options = parser.parse_args()
    unknown = set(options.sections) - set(SECTIONS)
    if unknown:
        parser.error(f"no section {unknown.pop()!r}: {', '.join(SECTIONS)}")
    counts: Counter[str] = Counter()
    for section in options.sections or SECTIONS[:3]:
        for name, phrase in found(section):
            counts["/".join(name.split("/")[:3])] += 1
            if not options.counts:
                print(phrase)
    if options.counts:
        for folder, count in counts.most_common():
            print(f"{count:6} {folder}")
    total = sum(counts.values())
    if total:
        print(f"{total} phrases to replace", file=sys.stderr)
    return int(total > 0)


if __name__ == "__main__":
    sys.exit(main())
