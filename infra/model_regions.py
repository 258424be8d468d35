"""The regions in which Bedrock offers each model, from the table `bedrock_models.toml`, which names its sources."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_TABLE = Path(__file__).with_name("bedrock_models.toml")
# Not a profile's prefix: the models that answer in the stack's own region.
IN_REGION = "region"
GLOBAL = "global"
ANY_REGION = "*"
# Ids of inference profiles that AWS defines; an id of a model begins with its provider.
# https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-support.html
_PROFILE = re.compile(r"(us|us-gov|eu|apac|jp|au|ca|in|global)\.(.+)")


@dataclass(frozen=True, slots=True)
class ModelRegions:
    """`collections`: the regions with OpenSearch Serverless. `in_region`: by model, the regions that it answers in.

    `textract`: those with Amazon Textract.
    `profiles`: by the id of an inference profile and the region that it is called in, the regions that it routes to.
    `successors`: by model, what replaces it. `retired`: models that are legacy or have ended.
    """

    collections: frozenset[str]
    textract: frozenset[str]
    in_region: Mapping[str, frozenset[str]]
    profiles: Mapping[str, Mapping[str, tuple[str, ...]]]
    successors: Mapping[str, str]
    retired: frozenset[str]

    def offered(self, model: str, geography: str, region: str) -> str | None:
        """The id by which the model is invoked in the region, so that it answers within the geography."""
        if geography == IN_REGION:
            return model if region in self.in_region.get(model, ()) else None
        profile = f"{geography}.{model}"
        return profile if region in self.profiles.get(profile, {}) else None

    def callers(self, id: str) -> frozenset[str] | None:
        """The regions that this model or profile can be invoked in; None if the table does not know it."""
        if id in self.profiles:
            return frozenset(self.profiles[id])
        return self.in_region.get(id)

    def destinations(self, profile: str, region: str) -> tuple[str, ...]:
        """The regions that the profile routes to, with the one that it is called in."""
        known = self.profiles.get(profile, {}).get(region, (ANY_REGION,))
        return known if ANY_REGION in known else tuple(sorted({region, *known}))


def profile_parts(id: str) -> tuple[str, str] | None:
    """The geography and the model of an inference profile that AWS defines; None for the id of a model."""
    found = _PROFILE.fullmatch(id)
    return (found[1], found[2]) if found else None


def base_model(id: str) -> str:
    """The model of an inference profile, or the model itself."""
    parts = profile_parts(id)
    return parts[1] if parts else id


@cache
def model_regions() -> ModelRegions:
    """The table as it is in the repository."""
    table = tomllib.loads(_TABLE.read_text("utf-8"))
    profiles: dict[str, dict[str, tuple[str, ...]]] = {}
    for row in table["profiles"]:
        for id in row["ids"]:
            profiles.setdefault(id, {}).update(dict.fromkeys(row["from"], tuple(row["to"])))
    in_region = {model: frozenset(regions) for model, regions in table["in_region"].items()}
    successors = {model: row["successor"] for model, row in table["lifecycle"].items() if "successor" in row}
    retired = frozenset(model for model, row in table["lifecycle"].items() if "legacy" in row)
    services = frozenset(table["collections"]), frozenset(table["textract"])
    return ModelRegions(*services, in_region, profiles, successors, retired)
