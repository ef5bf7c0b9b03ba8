"""horsesense tells whether a language model has common sense or is a clever Hans."""

__version__ = "0.1.0"
