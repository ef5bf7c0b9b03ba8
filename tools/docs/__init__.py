"""The documentation site: hand-written pages from docs/, and generated pages.

- `__main__`: copies both into build/docs and builds the site with Zensical (`make docs`);
- `commands`: one page per command, from the commands and the types of their output;
- `interface`: the Python API and the records, from docstrings, by mkdocstrings;
- `layers`: the picture of the packages, from the import contract;
- `notebooks`: the tutorials, from the scripts in examples/ and their stored output;
- `blocks`: the commands and code on the pages, for the tests that run them;
- `words`: the number of hand-written words.
"""
