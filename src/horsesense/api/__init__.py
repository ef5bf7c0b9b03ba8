"""The public surface: what `import horsesense` offers, one file a subject.

`probes` loads, reads and builds what is asked; `models` loads who answers; `asking` scores texts and asks probes;
`run` is what comes of asking, with its `frames`; `cues` looks for what answers without understanding; `learning`
trains, inoculates and fits controls; `cache` lists and removes what is kept on disk. The command line shows what these
functions return.
"""
