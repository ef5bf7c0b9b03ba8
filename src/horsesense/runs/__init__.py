"""What is kept: manifest, append-only answers, cache, resume; and where it is computed.

- ``ask``: models are asked probes; what is kept already is not asked again. ``opening`` finds the models; a ``sitting``
  is all that one model is asked, ``shards`` cuts it, ``answering`` is what is done where the model is, ``keeping``
  writes; ``cache`` serves what another run computed.
- ``engine``: who does the tasks, and this process as one that does; ``ray_engine`` has a ``ray_pool`` of
  ``ray_worker``s, ``wire`` is what crosses to them.
- ``folder``, ``manifest`` and ``shard_files``: what lies in a run folder. ``controls`` writes one for answers that no
  model gave.
- ``replies``: what was said in letters and words; ``result``: what came of it, and what ways of asking are apart.
- ``results`` and ``comparison``: numbers from kept answers, of one model and of several.
"""
