"""Models behind an OpenAI-compatible server: ``openai:URL#name`` (vLLM, llama.cpp, hosted ones).

- `address`: parse the name; `settings`: concurrency, budget, key
- `requests`, `client`, `retry`: send requests, retry, stay within the budget; `request_log`: store replies at once
- `protocol`: bodies of requests and parsing of replies; `encoded_prompts`: the scored stretch of an echo
- `bos`: the BOS token at a server; `trial`: whether its log-probabilities can be trusted
- `served_model`: the model protocol over HTTP; `opening`: open it by name
"""
