"""The site: pages by hand from docs/, and the pages that are made.

- `__main__`: puts both into build/docs and lets Zensical make the site of them (`make docs`);
- `commands`: a page a command, from the commands themselves and the types of what they print;
- `interface`: the Python API and the records, for mkdocstrings to fill from docstrings;
- `house`: the rooms in one picture, from the import contract;
- `notebooks`: the tutorials, from the scripts in examples/ and what they said when they were run;
- `blocks`: the commands and code of the pages, for the tests that run them;
- `words`: how much of it is written by hand.
"""
