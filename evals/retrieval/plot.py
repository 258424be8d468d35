"""A measurement as a picture."""

from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from evals.lines import DatasetError
from evals.retrieval.measures import MEASURES, means
from evals.retrieval.report import Report


def save_plot(report: Report, path: Path) -> None:
    """Bars of every stage and peer, one panel a measure; the file's suffix gives the format.

    Raises DatasetError for an unknown suffix, and for a file that cannot be written.
    """
    systems = {**report.stages, **report.peers}
    averages = {name: means(scores) for name, scores in systems.items()}
    colours = ["tab:blue"] * len(report.stages) + ["tab:gray"] * len(report.peers)
    with mpl.rc_context({"svg.hashsalt": "cicada"}):
        figure = Figure(figsize=(11, 1 + 0.4 * len(systems)), layout="constrained")
        for axes, measure in zip(figure.subplots(1, len(MEASURES), sharey=True), MEASURES, strict=True):
            bars = axes.barh(list(averages), [values[measure] for values in averages.values()], color=colours)
            axes.bar_label(bars, fmt="%.3f", padding=2)
            axes.set_title(measure)
            axes.set_xlim(0, 1.12)
        figure.axes[0].invert_yaxis()
        figure.suptitle(f"{report.dataset}: {report.passages:,} passages, {report.queries:,} queries")
        try:
            figure.savefig(path)
        except (OSError, ValueError) as error:
            raise DatasetError(f"The plot cannot be saved as {path} ({error}); name a .png or .svg file.") from error
