"""Golden files: record what the program does, and compare two recordings.

Everything goes through the command line and the files it writes, so a recording survives moved modules and renamed
Python names. Nothing here imports ``horsesense``.

    python -m tools.golden record FOLDER [--only PIECE|CALL ...] [--models FOLDER]
    python -m tools.golden compare FOLDER_A FOLDER_B [--show N] [--common]

A recording has one JSON file per call, in one folder per piece:

=============  =======================================================================================================
builders       item ids and contents of every builder at two seeds, and the probes that ship
profile        content hashes of the frozen questions (quick and full edition), verdicts, and one tiny model
answers        scores and token log-probabilities of the tiny models of every family, by every prompt format
statistics     results, reports, comparisons, regression checks, cues and subsets, replicated figures
served         requests sent to an OpenAI-compatible server, and what was read from its replies
commands       ``--json`` of every other command that works offline
=============  =======================================================================================================

When a command, an option or one of its values is renamed, add it to ``RENAMED`` in `tools.golden.calls`: the calls and
the names of the golden files stay as they are. Options, probes and models have relative paths only; dates, versions and
ports are masked, and numbers are rounded to five decimals.

The tokenizers of some tiny models differ from one training to the next. So the models are saved once, in the folder
``models`` beside the recordings, and every recording beside it uses them. Released data are taken from
``HORSESENSE_DATA``, or from ``../shared/data`` beside the repository; calls that need them are skipped where they are
not there. WordNet, GCIDE and ``minilm`` must have been fetched.
"""
