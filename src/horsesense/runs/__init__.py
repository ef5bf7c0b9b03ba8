"""What is kept: manifest, append-only answers, cache, resume.

- ``ask``: models are asked probes; what is kept already is not asked again. ``shards`` cuts the work, ``cache`` serves
  what another run computed.
- ``folder`` and ``manifest``: what lies in a run folder. ``controls`` writes one for answers that no model gave.
- ``results`` and ``comparison``: numbers from kept answers, of one model and of several.
"""
