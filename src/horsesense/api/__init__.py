"""The public surface: what `import horsesense` offers, one file a subject.

`probes` loads, reads and builds what is asked; `models` says who answers, and where; `asking` scores texts and asks
probes; `run` is what comes of asking, with its `frames`; `reporting` writes it, `comparing` holds runs side by side;
`cues` and `controls` look for what answers without understanding; `learning` trains and inoculates; `keeping` and
`cache` are about what lies on disk. Each method has its own. The command line shows what these functions return.
"""
