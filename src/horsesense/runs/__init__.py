"""What is kept: manifest, append-only answers, cache, resume.

- ``ask``: models are asked probes; what is kept already is not asked again. ``opening`` finds the models, ``shards``
  cuts the work, ``answering`` does it, ``cache`` serves what another run computed.
- ``folder`` and ``manifest``: what lies in a run folder. ``controls`` writes one for answers that no model gave.
- ``replies``: what was said in letters and words; ``result``: what came of it, and what ways of asking are apart.
- ``results`` and ``comparison``: numbers from kept answers, of one model and of several.
"""
