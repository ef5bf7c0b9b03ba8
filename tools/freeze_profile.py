"""Write down what a version of the profile asks: `python -m tools.freeze_profile > FILE`.

For a new version only: raise `VERSION` in horsesense/profiling/material.py first. It needs WordNet and GCIDE as
they are pinned (`horsesense fetch wordnet gcide`).
"""

from __future__ import annotations

from horsesense.profiling.material import freeze

if __name__ == "__main__":
    print(freeze(), end="")
