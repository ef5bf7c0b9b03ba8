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
    "audit": ("Estimate label quality by a blind audit", PROBES),
    "build": ("Build a probe from a knowledge source", PROBES),
    "cache": ("List or remove cached files", FILES),
    "knowledge": ("Add or list knowledge sources", FILES),
}
"""Commands that only have sub-commands: what the list says of each, and its section."""
STEPS = {
    "annotate": (
        "Collect judgements from people. Make a task file (new) or a study on a server (study, invite, serve). Then "
        "collect the judgements, measure agreement, and export labels. An instrument is a question to annotators with "
        "its possible answers."
    ),
    "audit": (
        "Estimate how many items of a probe have a wrong label. First draw a sample with seeded errors (new). A "
        "person, or a model (ask), judges it without seeing the keys, and some items again with their keys (second). "
        "Then compute the estimate (apply)."
    ),
}
"""How the sub-commands of a group belong together, where the summary is not enough."""

COMMANDS: tuple[Command, ...] = (
    Command(
        "annotate agreement",
        "horsesense.annotate.rater_agreement:agreement",
        "Measure agreement between annotators",
        "horsesense annotate agreement judgements.jsonl",
        PEOPLE,
        render="horsesense.cli.render_annotate:agreement",
    ),
    Command(
        "annotate apply",
        "horsesense.annotate.labels:apply",
        "Apply labels to a probe",
        "horsesense annotate apply probe.jsonl labels.jsonl -o judged.jsonl",
        PEOPLE,
        render="horsesense.cli.render_annotate:applied",
    ),
    Command(
        "annotate codes",
        "horsesense.annotate.server.administration:codes",
        "List completion codes",
        "horsesense annotate codes study",
        PEOPLE,
        render="horsesense.cli.render_annotate:completions",
    ),
    Command(
        "annotate collect",
        "horsesense.annotate.judgements:collect",
        "Collect judgements in one file",
        "horsesense annotate collect tasks.csv -o judgements.jsonl",
        PEOPLE,
        render="horsesense.cli.render_annotate:collected",
    ),
    Command(
        "annotate export",
        "horsesense.annotate.labels:export",
        "Adjudicate judgements into labels",
        "horsesense annotate export judgements.jsonl -o labels.jsonl",
        PEOPLE,
        render="horsesense.cli.render_annotate:adjudicated",
    ),
    Command(
        "annotate invite",
        "horsesense.annotate.server.administration:invite",
        "Make links for annotators",
        "horsesense annotate invite study ann ben",
        PEOPLE,
        render="horsesense.cli.render_annotate:links",
    ),
    Command(
        "annotate new",
        "horsesense.annotate.task_files:new_tasks",
        "Write a task file to be filled in",
        "horsesense annotate new starter --instrument choice -o tasks.csv",
        PEOPLE,
        render="horsesense.cli.render_annotate:new_tasks",
    ),
    Command(
        "annotate pause",
        "horsesense.annotate.server.administration:pause",
        "Pause annotators or a study",
        "horsesense annotate pause study ann",
        PEOPLE,
        render="horsesense.cli.render_annotate:participants",
    ),
    Command(
        "annotate performance",
        "horsesense.annotate.human_performance:performance",
        "Measure human performance",
        "horsesense annotate performance judgements.jsonl -p probe.jsonl",
        PEOPLE,
        render="horsesense.cli.render_annotate:performance",
    ),
    Command(
        "annotate qualify",
        "horsesense.annotate.human_performance:qualify",
        "Qualify annotators by gold items",
        "horsesense annotate qualify judgements.jsonl --gold gold.jsonl",
        PEOPLE,
        render="horsesense.cli.render_annotate:qualifications",
    ),
    Command(
        "annotate resume",
        "horsesense.annotate.server.administration:resume",
        "Resume annotators or a study",
        "horsesense annotate resume study ann",
        PEOPLE,
        render="horsesense.cli.render_annotate:participants",
    ),
    Command(
        "annotate revoke",
        "horsesense.annotate.server.administration:revoke",
        "Revoke links of annotators",
        "horsesense annotate revoke study ann",
        PEOPLE,
        render="horsesense.cli.render_annotate:participants",
    ),
    Command(
        "annotate serve",
        "horsesense.annotate.server.administration:serve",
        "Serve a study",
        "horsesense annotate serve study",
        PEOPLE,
        render="horsesense.cli.render_annotate:serving",
    ),
    Command(
        "annotate status",
        "horsesense.annotate.annotation_status:status",
        "Show the progress of annotation",
        "horsesense annotate status study",
        PEOPLE,
        render="horsesense.cli.render_annotate:status",
    ),
    Command(
        "annotate study",
        "horsesense.annotate.study:new_study",
        "Make a study to be served",
        "horsesense annotate study starter --instrument choice -o study",
        PEOPLE,
        render="horsesense.cli.render_annotate:new_tasks",
    ),
    Command(
        "annotate withdraw",
        "horsesense.annotate.server.administration:withdraw",
        "Withdraw the judgements of a person",
        "horsesense annotate withdraw study ann",
        PEOPLE,
        render="horsesense.cli.render_annotate:participants",
    ),
    Command(
        "audit apply",
        "horsesense.annotate.audit.steps:apply",
        "Estimate the label quality",
        "horsesense audit apply audit lines.txt --auditor ann:people",
        PROBES,
        render="horsesense.cli.render_annotate:label_quality",
    ),
    Command(
        "audit ask",
        "horsesense.annotate.audit.steps:ask",
        "Let a model audit",
        "horsesense audit ask audit -m smollm2 -o lines.txt",
        PROBES,
        render="horsesense.cli.render_annotate:model_judgements",
    ),
    Command(
        "audit new",
        "horsesense.annotate.audit.steps:new",
        "Draw a blind audit with seeded errors",
        "horsesense audit new starter -o audit --limit 100 --seeded 60",
        PROBES,
        render="horsesense.cli.render_annotate:new_audit",
    ),
    Command(
        "audit second",
        "horsesense.annotate.audit.steps:second",
        "Show the auditor the key of some items",
        "horsesense audit second audit lines.txt",
        PROBES,
        render="horsesense.cli.render_annotate:second_stage",
    ),
    Command(
        "baseline",
        "horsesense.training.baselines:fit_control",
        "Fit a control to a probe",
        "horsesense baseline random --test starter",
        TRAINING,
        render="horsesense.cli.render_training:control",
    ),
    Command(
        "build plugin",
        "horsesense.core.catalogue:build_plugin",
        "Build a probe with a plug-in's builder",
        "horsesense build plugin weekdays --option limit=5 -o days.jsonl",
        PROBES,
    ),
    Command(
        "cache list", "horsesense.runs.stored_files:list_cache", "List cached files", "horsesense cache list", FILES
    ),
    Command(
        "cache prune",
        "horsesense.runs.stored_files:prune_cache",
        "Remove cached scores and models",
        "horsesense cache prune",
        FILES,
    ),
    Command(
        "check-regression",
        "horsesense.runs.regression:check_regression",
        "Check a new run for regressions",
        "horsesense check-regression runs/new --against runs/old",
        MODELS,
    ),
    Command(
        "compare",
        "horsesense.runs.comparison:compare",
        "Compare models on the same items",
        "horsesense compare runs/small runs/large",
        MODELS,
    ),
    Command(
        "cues",
        "horsesense.cues.findings:find_cues",
        "Find surface cues that give answers away",
        "horsesense cues starter",
        PROBES,
    ),
    Command(
        "plant",
        "horsesense.planting.experiment:plant",
        "Plant cues and measure their effect",
        "horsesense plant starter -m smollm2 --cue professor --limit 40",
        MODELS,
        render="horsesense.planting.render:planting",
    ),
    Command(
        "export",
        "horsesense.exchange.formats:export",
        "Export a probe to another tool",
        "horsesense export starter --to lm-eval -o tasks/starter",
        PROBES,
    ),
    Command(
        "export-run",
        "horsesense.report.run_report:export_run",
        "Export the items of a run as a table",
        "horsesense export-run runs/one -o items.csv",
        MODELS,
    ),
    Command(
        "fetch",
        "horsesense.runs.stored_files:fetch",
        "Download datasets, models and sources",
        "horsesense fetch wordnet",
        FILES,
    ),
    Command(
        "inoculate",
        "horsesense.training.inoculation:inoculate",
        "Fine-tune on small sets, measure forgetting",
        "horsesense inoculate -m model --train train.jsonl --dev dev.jsonl --test test.jsonl "
        "--original-dev old-dev.jsonl --original-test old-test.jsonl -o runs/inoculation",
        TRAINING,
        render="horsesense.cli.render_training:inoculation",
    ),
    Command(
        "fill",
        "horsesense.scoring.text_analysis:fill",
        "Fill blanks with a model's best tokens",
        'horsesense fill -m smollm2-masked "The apple is ___."',
        MODELS,
    ),
    Command(
        "harden",
        "horsesense.cues.harden:harden",
        "Find a subset on which no cue works",
        "horsesense harden quiz.jsonl -o hard.jsonl",
        PROBES,
    ),
    Command(
        "import",
        "horsesense.methods.published:read_release",
        "Import a published dataset or a table",
        "horsesense import table quiz.csv --columns question=q,options=a+b,answer=key -o quiz.jsonl",
        PROBES,
    ),
    Command(
        "import-log",
        "horsesense.exchange.logged_run:import_log",
        "Import another tool's log as a run",
        "horsesense import-log lm-eval logs -o runs/harness",
        MODELS,
    ),
    Command(
        "items",
        "horsesense.item_analysis.analysis:items",
        "Analyse items: difficulty, doubtful keys",
        "horsesense items runs/one runs/other -o items.html",
        PROBES,
    ),
    Command(
        "knowledge add",
        "horsesense.lexicons.sources:add_file",
        "Add a knowledge source from a file",
        "horsesense knowledge add animals animals.tsv",
        FILES,
    ),
    Command(
        "knowledge list",
        "horsesense.lexicons.sources:stored_sources",
        "List knowledge sources",
        "horsesense knowledge list",
        FILES,
    ),
    Command(
        "plugins", "horsesense.core.catalogue:list_plugins", "List installed plug-ins", "horsesense plugins", FILES
    ),
    Command(
        "replicate",
        "horsesense.replication.replication:replicate",
        "Recompute published figures",
        "horsesense replicate cats",
        METHODS,
        render="horsesense.cli.render_replicate:replication",
    ),
    Command(
        "train",
        "horsesense.training.fine_tuning:train",
        "Fine-tune a model, test before and after",
        "horsesense train -m gpt2 --train train.jsonl --test test.jsonl -o runs/trained",
        TRAINING,
        render="horsesense.cli.render_training:training",
    ),
    Command(
        "report",
        "horsesense.report.run_report:write_report",
        "Write a report of runs",
        "horsesense report runs/one runs/other -o both.html",
        MODELS,
    ),
    Command(
        "profile",
        "horsesense.profiling.profile:store_profile",
        "Profile models on ten commonsense abilities",
        "horsesense profile -m smollm2 -o runs/profile",
        MODELS,
    ),
    Command(
        "run",
        "horsesense.report.run:run",
        "Run models on probes and write a report",
        "horsesense run -m smollm2 -p starter --limit 40 -o runs/first",
        MODELS,
    ),
    Command(
        "saliency",
        "horsesense.scoring.text_analysis:saliency",
        "Attribute a prediction to words",
        'horsesense saliency -m smollm2 "Ada dropped the plate, so it fell to the [floor]."',
        MODELS,
    ),
    Command(
        "score",
        "horsesense.scoring.text_analysis:score",
        "Print the log-probability of each token",
        'horsesense score -m smollm2 "Ice is cold." --against "Ice is hot."',
        MODELS,
    ),
    Command("show", "horsesense.report.show:show", "Show a probe or an item", "horsesense show starter", PROBES),
    Command(
        "suite",
        "horsesense.report.run:run_suite",
        "Run models on all datasets of a paper",
        "horsesense suite cats --data cats -m smollm2 -o runs/cats",
        MODELS,
    ),
    Command(
        "verify",
        "horsesense.runs.stored_files:verify",
        "Check stored files for damage",
        "horsesense verify runs",
        FILES,
    ),
)
"""The commands of the core."""


@cache
def groups() -> dict[str, tuple[str, str]]:
    """The groups of the core and of every method that has one: what the list says of each, and its section."""
    return GROUPS | {name: (each.summary, METHODS) for name, each in methods().items() if each.summary}


@cache
def all_commands() -> dict[str, Command]:
    """The commands of the core and of every method, by path."""
    entries = (*COMMANDS, *(command for method in methods().values() for command in method.commands))
    return {entry.path: entry for entry in entries}
