"""What CloudFront answers for a deployed page: files, headers and caching by the template, as an app of HTTP.

It stands for S3 and CloudFront: the files are those that the CDK's function would copy, with the markers in them
replaced as it does, and headers come from the distribution's behaviors and their policies.
"""

from __future__ import annotations

import fnmatch
import json
import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.infra.conftest import assembly_of
from tests.infra.deployed import Properties, deployed

# https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/using-managed-cache-policies.html
CACHE_POLICIES = {
    "4135ea2d-6df8-44a3-9df3-4b5a84be39ad": "CachingDisabled",
    "658327ea-f89d-4fab-a63d-7e88639e58f6": "CachingOptimized",
}


@dataclass(frozen=True, slots=True)
class Served:
    """A file as it is served. `cached`: the managed cache policy of CloudFront."""

    content: bytes
    headers: Mapping[str, str]
    cached: str


class Edge:
    """The page of a stage with this context."""

    def __init__(self, stage: str, **context: str) -> None:
        self._stage = deployed(stage, **context)
        [(_, distribution)] = self._stage.of_kind("AWS::CloudFront::Distribution")
        self._distribution: Properties = distribution["DistributionConfig"]
        self.files = dict(self._copied(assembly_of(stage, **context)))

    def served(self, path: str) -> Served | None:
        """None for a file that does not exist."""
        key = path.removeprefix("/") or self._distribution["DefaultRootObject"]
        if key not in self.files:
            return None
        content, metadata = self.files[key]
        behavior = self.behavior(key)
        headers = metadata | self.headers(behavior)
        return Served(content, headers, CACHE_POLICIES[behavior["CachePolicyId"]])

    def behavior(self, key: str) -> Properties:
        matching = (each for each in self._distribution["CacheBehaviors"] if fnmatch.fnmatch(key, each["PathPattern"]))
        found: Properties = next(matching, self._distribution["DefaultCacheBehavior"])
        return found

    def headers(self, behavior: Properties) -> dict[str, str]:
        """What the behavior's policy adds to each response."""
        policy = self._stage.resources[behavior["ResponseHeadersPolicyId"]["Ref"]]["Properties"]
        security = policy["ResponseHeadersPolicyConfig"]["SecurityHeadersConfig"]
        custom = policy["ResponseHeadersPolicyConfig"]["CustomHeadersConfig"]["Items"]
        assert all(each["Override"] for each in (*security.values(), *custom))
        return {
            "Content-Security-Policy": self._stage.text(security["ContentSecurityPolicy"]["ContentSecurityPolicy"]),
            "X-Content-Type-Options": "nosniff" if "ContentTypeOptions" in security else "",
            "Referrer-Policy": security["ReferrerPolicy"]["ReferrerPolicy"],
            "Strict-Transport-Security": f"max-age={security['StrictTransportSecurity']['AccessControlMaxAgeSec']}",
            **{each["Header"]: each["Value"] for each in custom},
        }

    def app(self, replaced: Mapping[str, str]) -> Starlette:
        """`replaced`: addresses of AWS in files and headers, by what is to stand for them."""

        def text(value: str) -> str:
            for old, new in replaced.items():
                value = value.replace(old, new)
            return value

        def serve(request: Request) -> Response:
            found = self.served(request.url.path)
            if found is None:
                return Response("<Error><Code>AccessDenied</Code></Error>", 403)
            kind = mimetypes.guess_type(request.url.path)[0] or "text/html"
            headers = {name: text(value) for name, value in found.headers.items()}
            return Response(text(found.content.decode()).encode(), media_type=kind, headers=headers)

        return Starlette(routes=[Route("/{path:path}", serve)])

    def _copied(self, assembly: Path) -> Mapping[str, tuple[bytes, dict[str, str]]]:
        """Content and metadata of every object, by key."""
        objects: dict[str, tuple[bytes, dict[str, str]]] = {}
        for _, each in self._stage.of_kind("Custom::CDKBucketDeployment"):
            markers = each.get("SourceMarkers") or [{} for _ in each["SourceObjectKeys"]]
            for source, marked in zip(each["SourceObjectKeys"], markers, strict=True):
                folder = assembly / f"asset.{source.removesuffix('.zip')}"
                for file in (path for path in folder.rglob("*") if path.is_file()):
                    prefix = each.get("DestinationBucketKeyPrefix", "")
                    key = "/".join(filter(None, (prefix, file.relative_to(folder).as_posix())))
                    objects[key] = (self._filled_in(file.read_bytes(), marked), _metadata(each))
        return objects

    def _filled_in(self, content: bytes, markers: Mapping[str, Any]) -> bytes:
        for marker, value in markers.items():
            content = content.replace(marker.encode(), self._stage.text(value).encode())
        return content

    def config(self) -> dict[str, str]:
        config: dict[str, str] = json.loads(self.files["config.json"][0])
        return config


def _metadata(deployment: Properties) -> dict[str, str]:
    return {name.title(): str(value) for name, value in deployment["SystemMetadata"].items()}
