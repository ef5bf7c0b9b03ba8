"""Training: fine-tuning under a setting, inoculation, and controls fitted to a probe.

- `fine_tuning`: one training per seed, evaluated before and after; `training_results` and learning curves as data;
  `settings` are the training sets, `leaks` keeps them apart from the tests.
- `trainer`: one training; `transformers_trainer` is the loop, `objectives` what is minimised,
  `training_record` the settings and the record beside the weights.
- `inoculation`: small training sets from a probe, and what is stored of them; `inoculation_trials` has the work of one
  size and seed.
- `baselines`: fit a control to a probe; `controls` has them all.
"""
