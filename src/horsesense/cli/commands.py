"""The table of commands: what each is called, the function it calls, and how the list shows it.

The table is all that ``horsesense --help`` loads. A method adds its commands by ``METHOD.commands``.
"""

from __future__ import annotations

from functools import cache

from horsesense.registry import Command, methods

MODELS, PROBES, TRAINING = "Evaluate models", "Build and check probes", "Train and fit controls"
PEOPLE, METHODS, FILES = "Ask people", "Methods of the papers", "Files and sources"
SECTIONS = (MODELS, PROBES, TRAINING, PEOPLE, METHODS, FILES)
"""The headings of the list of commands, in order."""

GROUPS: dict[str, tuple[str, str]] = {
    "annotate": ("Collect judgements from people", PEOPLE),
    "build": ("Build a probe from a knowledge source", PROBES),
    "cache": ("List or remove cached files", FILES),
    "cats": ("Analyse runs on CATs", METHODS),
    "knowledge": ("Add or list knowledge sources", FILES),
    "partwhole": ("Split, recast and check part-whole triples", METHODS),
    "rica": ("Derive, prove and analyse RICA statements", METHODS),
    "winoventi": ("Build and evaluate WinoVenti schemas", METHODS),
    "wordnetqa": ("Analyse runs on WordNetQA", METHODS),
}
"""Commands that only have sub-commands: what the list says of each, and its section."""

COMMANDS: tuple[Command, ...] = (
    Command(
        "build dictionaryqa",
        "horsesense.api.wordnetqa:build_dictionaryqa",
        "Build questions about word senses",
        "horsesense build dictionaryqa --limit 100 -o dictionary.jsonl",
        PROBES,
    ),
    Command(
        "build wordnetqa",
        "horsesense.api.wordnetqa:build",
        "Build multiple-choice questions from WordNet",
        "horsesense build wordnetqa --relation hypernymy --limit 100 -o hypernymy.jsonl",
        PROBES,
    ),
    Command("cache list", "horsesense.api.cache:list_cache", "List cached files", "horsesense cache list", FILES),
    Command(
        "cache prune",
        "horsesense.api.cache:prune_cache",
        "Remove cached scores and models",
        "horsesense cache prune",
        FILES,
    ),
    Command(
        "compare",
        "horsesense.api.comparing:compare",
        "Compare models on the same items",
        "horsesense compare runs/small runs/large",
        MODELS,
    ),
    Command(
        "cues",
        "horsesense.api.cues:find_cues",
        "Find surface cues that give answers away",
        "horsesense cues starter",
        PROBES,
    ),
    Command(
        "fetch",
        "horsesense.api.keeping:fetch",
        "Download datasets, models and sources",
        "horsesense fetch wordnet",
        FILES,
    ),
    Command(
        "knowledge add",
        "horsesense.api.keeping:add_source",
        "Add a knowledge source from a file",
        "horsesense knowledge add animals animals.tsv",
        FILES,
    ),
    Command(
        "knowledge list",
        "horsesense.api.keeping:list_sources",
        "List knowledge sources",
        "horsesense knowledge list",
        FILES,
    ),
    Command("plugins", "horsesense.api.keeping:list_plugins", "List installed plug-ins", "horsesense plugins", FILES),
    Command("verify", "horsesense.api.verify:verify", "Check stored files for damage", "horsesense verify runs", FILES),
    Command(
        "winoventi make",
        "horsesense.api.winoventi_pipeline:make",
        "Build adversarial schemas for one model",
        "horsesense winoventi make wordnet --limit 200 -m smollm2-masked -o pipeline",
        render="horsesense.cli.winoventi_pipeline:print_summary",
    ),
)
"""The commands of the core."""


@cache
def all_commands() -> dict[str, Command]:
    """The commands of the core and of every method, by path."""
    entries = (*COMMANDS, *(command for method in methods().values() for command in method.commands))
    return {entry.path: entry for entry in entries}
