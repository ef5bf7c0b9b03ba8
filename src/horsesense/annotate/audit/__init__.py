"""How sound a probe is: a sample is read by somebody who does not see the key, and the reader is measured.

- `faults`: planted among the sample, so that it is known how many of them a reader finds.
- `reading`: the sample, the faults and items known to be good, shuffled into blind items; the folder that keeps them.
- `judged`: what the reader wrote, from lines, filled task files, platforms or a served study.
- `verdicts`: what a judgement says of an item, and how much of it could be got right at best.
- `figures`: shares before and after the key was shown, the reader's errors, the corrected share.
- `model_reader`: a language model as the reader.
"""
