"""Runs side by side: which model is better, and is a new one worse than an old one?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from annotated_types import Ge

from horsesense.api.probes import PathLike
from horsesense.api.results import Comparison
from horsesense.api.run import AnyRun, finished_by_place
from horsesense.core.spec import Normalisation
from horsesense.errors import UserError, translate_errors
from horsesense.runs.comparison import alone_in, compare_runs, too_few_in
from horsesense.scoring.normalise import parse_normalisation

if TYPE_CHECKING:
    from horsesense.runs.regression import Gate


@translate_errors()
def check_regression(
    new: AnyRun,
    *,
    against: AnyRun,
    margin: Annotated[float, Ge(0)] = 0.02,
    normalise: Normalisation | None = None,
    summary: PathLike | None = None,
    junit: PathLike | None = None,
) -> Gate:
    """Check whether a new run is worse than an old one (exit code 0: not worse, 3: worse, 4: inconclusive).

    Args:
        new: Run folder to check. In Python, also a `Run`.
        against: Run folder that it is compared with. In Python, also a `Run`.
        margin: Tolerated loss of accuracy.
        normalise: Score normalisation. By default, the one of each probe's card.
        summary: Markdown file to write a summary to.
        junit: JUnit XML file to write.

    Returns:
        ``verdict`` ("not worse", "worse", "inconclusive"), each check with its interval, and ``exit_code`` (0, 3, 4).
    """
    from horsesense.data import writing
    from horsesense.runs.regression import judge

    how = parse_normalisation(normalise) if normalise else None
    (first, second), unfinished = finished_by_place((new, against))
    if unfinished:
        raise UserError(f"not finished: {', '.join(unfinished)}", fix="finish the run first")
    found = judge(first, second, margin, how)
    for path, text in ((summary, found.markdown()), (junit, found.junit())):
        if path is not None:
            with writing(path) as temporary:
                temporary.write_text(text, encoding="utf-8")
    return found


@translate_errors()
def compare(*runs: AnyRun, normalise: Normalisation | None = None) -> Comparison:
    """Compare models on the items that all of them answered, with paired, clustered and Holm-corrected tests.

    Args:
        runs: Run folder; one is enough if it has two models. In Python, also a `Run`.
        normalise: Score normalisation. By default, the one of each probe's card.

    Returns:
        Each probe that two models were asked, with the difference of each two of them.
    """
    if not runs:
        raise UserError("no run is given", fix="name a run folder")
    how = parse_normalisation(normalise) if normalise else None
    by_place, unfinished = finished_by_place(runs)
    try:
        sides = tuple(compare_runs(by_place, how))
        return Comparison(sides, tuple(unfinished), tuple(too_few_in(by_place)), tuple(alone_in(by_place)))
    except UserError as error:
        if not unfinished:
            raise
        raise UserError(f"{error.problem}; not finished: {', '.join(unfinished)}", fix="finish the run first") from None
