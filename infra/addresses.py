"""The addresses of a stage on AWS, by `cdk … -c name=value`.

Domains of one's own are for the page, the WebSocket and the sign-in with an identity provider.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

_DOMAIN = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]")
_CERTIFICATE = re.compile(r"arn:[a-z-]+:acm:([a-z0-9-]+):\d{12}:certificate/[\w-]+")
_ZONE = re.compile(r"Z[A-Z0-9]+")
# CloudFront takes certificates of no other region: botocore, cloudfront ViewerCertificate.ACMCertificateArn. So does
# Cognito, which serves a domain of one's own by it: botocore, cognito-idp CreateUserPoolDomain CustomDomainConfig.
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
    """The addresses of a stage; None stands for the address that AWS chooses.

    `hosted_zone`: the id of the Route 53 zone that gets the domains' records, empty if they are made elsewhere.
    `has_page`: the stage serves the chat page. `sign_in`: the address of the authorization server, which leads users to
    their identity provider.
    """

    page: Domain | None = None
    socket: Domain | None = None
    hosted_zone: str = ""
    has_page: bool = True
    sign_in: Domain | None = None


def addresses(context: Callable[[str], Any], region: str) -> Addresses:
    """The addresses of a stack in this region. Raises `AddressError`."""
    has_page = _has_page(context, region)
    page, socket, sign_in = (_domain(context, part) for part in ("page", "socket", "signIn"))
    zone = str(context("hostedZone") or "")
    if page and not has_page:
        raise AddressError("-c page=none leaves the page out, so -c pageDomain has nothing to name: drop one of them.")
    _require_certificate(page, "page", _OF_CLOUDFRONT, "CloudFront")
    _require_certificate(socket, "socket", region, "API Gateway")
    _require_certificate(sign_in, "signIn", _OF_CLOUDFRONT, "Cognito")
    _require_names_of_their_own(page, socket, sign_in)
    if sign_in and region.startswith(_WITHOUT_CLOUDFRONT):
        raise AddressError(
            f"In {region} Cognito has no domains of one's own: drop -c signInDomain and signInCertificate."
        )
    if zone and not (page or socket or sign_in):
        raise AddressError(
            "-c hostedZone needs a name to record: add -c pageDomain, -c socketDomain or -c signInDomain."
        )
    if zone and not _ZONE.fullmatch(zone):
        raise AddressError(f"-c hostedZone={zone} is no id of a hosted zone: Route 53 shows it as Z….")
    return Addresses(page, socket, zone, has_page, sign_in)


def _require_certificate(domain: Domain | None, part: str, region: str, service: str) -> None:
    if domain is None or domain.certificate_region == region:
        return
    only = "the stack's region" if part == "socket" else region
    raise AddressError(
        f"{service} takes certificates of {only} only, and that of -c {part}Certificate is in "
        f"{domain.certificate_region}: request one for {domain.name} in {region}."
    )


def _require_names_of_their_own(page: Domain | None, socket: Domain | None, sign_in: Domain | None) -> None:
    parts = {"Page": page, "WebSocket": socket, "sign-in": sign_in}
    named = [(part, domain.name) for part, domain in parts.items() if domain]
    for (first, name), (second, other) in combinations(named, 2):
        if name == other:
            raise AddressError(f"{first} and {second} need a name each: {name} cannot lead to both.")


def _has_page(context: Callable[[str], Any], region: str) -> bool:
    value = context("page") or "cloudfront"
    if value not in ("cloudfront", "none"):
        raise AddressError(f"There is no page {value!r}: use -c page=cloudfront or none.")
    if value == "cloudfront" and region.startswith(_WITHOUT_CLOUDFRONT):
        raise AddressError(f"{region} has no CloudFront to serve the page: use -c page=none, and serve it elsewhere.")
    return value == "cloudfront"


def _domain(context: Callable[[str], Any], part: str) -> Domain | None:
    """The domain of `page`, `socket` or `signIn`, None if the context names neither domain nor certificate."""
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
