"""What changes a model: the trainer, settings, splits, leak checks, fitted controls."""
