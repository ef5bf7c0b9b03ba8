"""Models behind an OpenAI-compatible server: ``openai:URL#name`` (vLLM, llama.cpp, hosted ones).

- `address`: parse the name; `settings`: concurrency, budget, key
- `requests`, `client`, `retry`: send requests, retry, stay within the budget; `request_log`: store replies at once
- `protocol`: bodies of requests and parsing of replies; `encoded_prompts`: the scored stretch of an echo
- `bos`: the BOS token at a server; `trial`: whether its log-probabilities can be trusted
- `served_model`: the model protocol over HTTP; `opening`: open it by name
"""

from horsesense.models.api.address import is_served
from horsesense.models.api.opening import open_served
from horsesense.models.api.served_model import ServedModel
from horsesense.models.api.settings import ServedSettings

__all__ = ["ServedModel", "ServedSettings", "is_served", "open_served"]
