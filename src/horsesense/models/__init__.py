"""Models: which weights a name means, how they are loaded, and the protocol that every model follows.

- `locate`: what a name after ``-m`` means; `load`: open it; `lineage`: which models are related
- `bundled`: small models that come in a package file; `folders`: weight files and their hashes
- `gguf`, `adapters`, `bidirectional`: models that are converted into folders
- `protocol`: requests to a model and their results; `hf`: models in this process; `api`: models behind a server
"""
