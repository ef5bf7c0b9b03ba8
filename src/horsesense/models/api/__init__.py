"""Models behind an API: ``PROVIDER/MODEL`` (OpenAI, Anthropic, Google and others) or ``openai:URL#name``.

- `address`: parse the name; `settings`: concurrency, budget, key, headers, reasoning
- `providers`: one class per provider, which translates questions and replies
- `http`, `limiter`, `client`, `requests`: send requests, negotiate, retry, keep to a budget
- `request_log`: store replies at once
- `logprobs`: log-probabilities in replies; `bos`: the BOS token at a server; `trial`: what a server can do
- `served_model`: the model protocol; open a model by name
"""
