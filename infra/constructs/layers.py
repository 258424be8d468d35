"""The layers, built without Docker: the library, and the packages it needs.

A function's layers may have 250 MB unpacked, its own code included.
"""

from __future__ import annotations

from pathlib import Path

import jsii
from aws_cdk import Annotations, AssetHashType, BundlingOptions, DockerImage, ILocalBundling
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.layer_build import BASE, DOCUMENTS, EMBEDDED, ROOT, LayerBuild
from infra.settings import StageSettings


class Layers(Construct):
    """`base`, for every function: this project's package and the packages it needs.

    `embedded`, for the functions that search on the local stage: the embedded engine and its packages, which are not
    shipped to AWS. `documents`: the packages that read uploaded files. One function needs it, and every megabyte would
    lengthen the others' cold start.
    """

    def __init__(self, scope: Construct, id: str, *, settings: StageSettings) -> None:
        super().__init__(scope, id)
        build = LayerBuild.local() if settings.local else LayerBuild.aws()
        self.base = [self._packages("Dependencies", build, BASE), self._source("Library", build, "shared")]
        self.embedded = (
            [self._packages("Embedded", build, EMBEDDED), self._source("Engine", build, "embedded")]
            if settings.local
            else []
        )
        self.documents = [self._packages("Documents", build, DOCUMENTS)]
        if build.compiler is None:
            Annotations.of(self).add_warning_v2(
                "cicada:no-byte-code",
                f"No Python {build.python_version} was found to compile the layers with, so cold starts take about a "
                f"second longer. Install one (`uv python install {build.python_version}`) and deploy again.",
            )

    def of(self, *, searches: bool, reads_documents: bool) -> list[lambda_.LayerVersion]:
        """The layers of a function that does so."""
        return [*self.base, *(self.embedded if searches else []), *(self.documents if reads_documents else [])]

    def _source(self, id: str, build: LayerBuild, name: str) -> lambda_.LayerVersion:
        return self._layer(id, _Source(build, name), build.source_hash(name))

    def _packages(self, id: str, build: LayerBuild, lock: str) -> lambda_.LayerVersion:
        return self._layer(id, _Packages(build, lock), build.packages_hash(lock))

    def _layer(self, id: str, bundling: ILocalBundling, asset_hash: str) -> lambda_.LayerVersion:
        code = lambda_.Code.from_asset(
            str(ROOT / "layers"),
            asset_hash=asset_hash,
            asset_hash_type=AssetHashType.CUSTOM,
            # The image is never pulled: local bundling succeeds or raises.
            bundling=BundlingOptions(image=DockerImage.from_registry("unused"), local=bundling),
        )
        return lambda_.LayerVersion(
            self,
            id,
            code=code,
            compatible_runtimes=[lambda_.Runtime.PYTHON_3_13],
            compatible_architectures=[lambda_.Architecture.ARM_64],
        )


@jsii.implements(ILocalBundling)
class _Source:
    def __init__(self, build: LayerBuild, name: str) -> None:
        self._build = build
        self._name = name

    def try_bundle(self, output_dir: str, *_: object, **__: object) -> bool:
        self._build.source(self._name, Path(output_dir))
        return True


@jsii.implements(ILocalBundling)
class _Packages:
    def __init__(self, build: LayerBuild, lock: str) -> None:
        self._build = build
        self._lock = lock

    def try_bundle(self, output_dir: str, *_: object, **__: object) -> bool:
        self._build.packages(self._lock, Path(output_dir))
        return True
