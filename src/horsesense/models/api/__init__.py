"""Models behind an OpenAI-compatible server: ``openai:URL#name`` (vLLM, llama.cpp, hosted ones).

- `address`: what the name means; `settings`: how many requests at a time, which budget, whose key
- `requests`: what is sent and what can go wrong; `client`: sent, repeated where a server falters, kept at once in
  `request_log`
- `protocol`: what is sent and how what comes back is read; odd answers are sentences
- `beginnings`: how a text begins, since a server may add a token before it or not
- `trial`: a server is tried before it is believed
- `readings`: prompts and the stretch of them that is scored; `served_model`: the contract, kept by all of these;
  `opening`: a server is asked what it has
"""
