"""Trains the planner's word model from `examples.jsonl` and writes it beside the planner."""

from __future__ import annotations

from pathlib import Path

from tools.planner_words.training import load_examples, trained, written

_TARGET = Path(__file__).parents[2] / "layers/shared/python/cicada/planning/deterministic/word_model.json"

if __name__ == "__main__":
    examples = load_examples(Path(__file__).with_name("examples.jsonl"))
    _TARGET.write_text(written(trained(examples)), "utf-8")
    print(f"{len(examples)} examples, {_TARGET.stat().st_size} bytes")
