"""Who answers: the models.

- `locating`: what a name after ``-m`` means, and which weights that are
- `bundled`: small real models that come with a package file
- `folders`: a model's folder: its weight files, their hash, and one that is made on first use
- `gguf`, `adapters`, `bidirectional`: folders that are made of something else
- `local`: models that run in this process
"""
