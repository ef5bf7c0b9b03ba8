"""Who answers: the models.

- `locating`: what a name after ``-m`` means, and which weights that are
- `bundled`: small real models that come with a package file
- `folders`: a model's folder: its weight files, their hash, and one that is made on first use
- `gguf`, `adapters`, `bidirectional`: folders that are made of something else
- `contract`: what a model is asked and what it gives back, wherever it runs
- `local`: models that run in this process; `served`: models behind an OpenAI-compatible server
"""
