"""What changes a model, and what a model is measured against.

- ``training``: one training from beginning to end; ``transformers_trainer`` is the loop beneath it, ``objectives`` and
  ``losses`` say what is learnt, ``training_record`` what is asked for and what is kept beside the weights.
- ``fine_tuning``: a setting carried out over seeds, measured before and after; ``settings`` says what is trained on
  and tested on, ``training_results`` what came of it.
- ``splits`` and ``leaks``: parts of a probe that do not touch, and what one gives away of the other.
- ``inoculation``: small doses of a probe; ``doses`` gives one, ``inoculation_folder`` keeps them. ``training_grid``:
  trainings done by an engine's workers. ``curves``: doses and trainings as data.
- ``baseline``: a control fitted to a probe; ``controls`` has them all.
"""
