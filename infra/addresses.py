"""The addresses of a stage on AWS: domains of one's own for the page and the WebSocket, by `cdk … -c name=value`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_DOMAIN = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]")
_CERTIFICATE = re.compile(r"arn:[a-z-]+:acm:([a-z0-9-]+):\d{12}:certificate/[\w-]+")
_ZONE = re.compile(r"Z[A-Z0-9]+")
# CloudFront takes certificates of no other region: botocore, cloudfront ViewerCertificate.ACMCertificateArn.
_OF_CLOUDFRONT = "us-east-1"
# AWS GovCloud has no CloudFront of its own: CloudFormation knows none of its resources there.
_WITHOUT_CLOUDFRONT = "us-gov-"


class AddressError(ValueError):
    """Domains, certificates or the hosted zone in the context do not fit; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Domain:
    """`certificate`: the ARN of a certificate of AWS Certificate Manager that covers the name."""

    name: str
    certificate: str

    @property
    def certificate_region(self) -> str:
        return self.certificate.split(":")[3]


@dataclass(frozen=True, slots=True)
class Addresses:
    """None stands for the address that AWS chooses. `hosted_zone`: the id of the Route 53 zone that gets the domains'
    records, empty for records that are made elsewhere. `has_page`: the stage serves the chat page.
    """

    page: Domain | None = None
    socket: Domain | None = None
    hosted_zone: str = ""
    has_page: bool = True


def addresses(context: Callable[[str], Any], region: str) -> Addresses:
    """Of a stack in this region. Raises `AddressError`."""
    has_page = _has_page(context, region)
    page, socket = _domain(context, "page"), _domain(context, "socket")
    zone = str(context("hostedZone") or "")
    if page and not has_page:
        raise AddressError("-c page=none leaves the page out, so -c pageDomain has nothing to name: drop one of them.")
    if page and page.certificate_region != _OF_CLOUDFRONT:
        raise AddressError(
            f"CloudFront takes certificates of {_OF_CLOUDFRONT} only, and that of -c pageCertificate is in "
            f"{page.certificate_region}: request one for {page.name} in {_OF_CLOUDFRONT}."
        )
    if socket and socket.certificate_region != region:
        raise AddressError(
            f"API Gateway takes certificates of the stack's region only, and that of -c socketCertificate is in "
            f"{socket.certificate_region}: request one for {socket.name} in {region}."
        )
    if page and socket and page.name == socket.name:
        raise AddressError(f"Page and WebSocket need a name each: {page.name} cannot lead to both.")
    if zone and not (page or socket):
        raise AddressError("-c hostedZone needs a name to record: add -c pageDomain or -c socketDomain.")
    if zone and not _ZONE.fullmatch(zone):
        raise AddressError(f"-c hostedZone={zone} is no id of a hosted zone: Route 53 shows it as Z….")
    return Addresses(page, socket, zone, has_page)


def _has_page(context: Callable[[str], Any], region: str) -> bool:
    value = context("page") or "cloudfront"
    if value not in ("cloudfront", "none"):
        raise AddressError(f"There is no page {value!r}: use -c page=cloudfront or none.")
    if value == "cloudfront" and region.startswith(_WITHOUT_CLOUDFRONT):
        raise AddressError(f"{region} has no CloudFront to serve the page: use -c page=none, and serve it elsewhere.")
    return value == "cloudfront"


def _domain(context: Callable[[str], Any], part: str) -> Domain | None:
    """The domain of `page` or `socket`, None if the context names neither domain nor certificate."""
    name, certificate = str(context(f"{part}Domain") or ""), str(context(f"{part}Certificate") or "")
    if not name and not certificate:
        return None
    if not _DOMAIN.fullmatch(name):
        raise AddressError(f"-c {part}Domain={name} is no domain: give a name such as chat.example.com.")
    if not _CERTIFICATE.fullmatch(certificate):
        raise AddressError(
            f"-c {part}Domain={name} needs -c {part}Certificate=arn:aws:acm:…: the ARN of a certificate for {name}."
        )
    return Domain(name, certificate)
