"""`make mutate`: print each area's score and survivors; exit with 1 where one scores too little."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path

from bench.mutation.areas import AREAS, Area, import_libraries, load_areas
from bench.mutation.run import BaselineFailed, Outcome, baseline, outcomes, sampled

LEAST_SCORE = 0.9
Score = dict[str, int | float]


def main() -> int:
    options = _options()
    root = Path.cwd()
    areas = load_areas(options.areas, root)
    import_libraries(options.areas)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    chosen = [areas[options.area]] if options.area else list(areas.values())
    try:
        scores = {area.name: _tried(area, root, options) for area in chosen}
    except BaselineFailed as failed:
        print(f"The tests fail without a mutant, or run other sources; mend that first.\n{failed}")
        return 1
    options.out.write_text(json.dumps({"seed": options.seed, "areas": scores}, indent=2) + "\n", "utf-8")
    return 1 if any(score["score"] < LEAST_SCORE for score in scores.values()) else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.mutation", description=__doc__)
    parser.add_argument("--area", help="one area of areas.toml, with all of its mutants; without it, samples of all")
    parser.add_argument("--seed", type=int, default=1, help="of the samples")
    parser.add_argument("--sample", type=int, help="mutants an area, in place of what areas.toml says")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--patience", type=float, default=15, help="seconds for a test, besides twice what the slowest takes"
    )
    parser.add_argument("--areas", type=Path, default=AREAS)
    parser.add_argument("--out", type=Path, default=Path(".build/mutation/scores.json"))
    return parser.parse_args()


def _tried(area: Area, root: Path, options: argparse.Namespace) -> Score:
    started = time.monotonic()
    reach = baseline(area, root, options.out.with_name(f"{area.name}.log"))
    tried = sampled(area, root, options.sample or (None if options.area else area.sample), options.seed)
    counts: Counter[Outcome] = Counter()
    for mutant, outcome in zip(tried, outcomes(area, root, reach, tried, options.jobs, options.patience), strict=True):
        counts[outcome] += 1
        if outcome is not Outcome.KILLED:
            print(f"{outcome} {mutant.diff()}\n", flush=True)
    score = _score(counts)
    said = ", ".join(f"{name} {value}" for name, value in score.items())
    print(f"{area.name}: {said}; {time.monotonic() - started:.0f} s\n", flush=True)
    return score


def _score(counts: Counter[Outcome]) -> Score:
    """A mutant that makes the tests time out counts as noticed."""
    tried = counts.total()
    noticed = tried - counts[Outcome.SURVIVED]
    return {"tried": tried} | {each.value: counts[each] for each in Outcome} | {"score": round(noticed / tried, 3)}


if __name__ == "__main__":
    sys.exit(main())
