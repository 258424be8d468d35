"""The headers of the chat page, for CloudFront and for the local stage's page server alike."""

from __future__ import annotations

from collections.abc import Sequence

HSTS_SECONDS = 365 * 24 * 3600
HSTS = "Strict-Transport-Security"
CSP = "Content-Security-Policy"
CONTENT_TYPE_OPTIONS = "X-Content-Type-Options"
REFERRER_POLICY = "Referrer-Policy"
# Features of browsers that the page does not use, so that no script in it can.
_DENIED_FEATURES = (
    "accelerometer",
    "camera",
    "display-capture",
    "geolocation",
    "gyroscope",
    "magnetometer",
    "microphone",
    "midi",
    "payment",
    "publickey-credentials-get",
    "usb",
)


def page_headers(connect_to: Sequence[str], *, over_tls: bool) -> dict[str, str]:
    """The headers of every response, by name. `connect_to`: the origins that the page talks to besides its own.

    Without TLS there is no HSTS: browsers ignore it, and servers must not send it
    (https://www.rfc-editor.org/rfc/rfc6797#section-7.2).
    """
    headers = {
        CSP: _content_security_policy(connect_to),
        CONTENT_TYPE_OPTIONS: "nosniff",
        REFERRER_POLICY: "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": ", ".join(f"{feature}=()" for feature in _DENIED_FEATURES),
    }
    return headers | ({HSTS: f"max-age={HSTS_SECONDS}"} if over_tls else {})


def _content_security_policy(connect_to: Sequence[str]) -> str:
    """Files of the page's own origin only: no inline script or style, and no text that a script makes into markup."""
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self'",
            "manifest-src 'self'",
            " ".join(("connect-src 'self'", *connect_to)),
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    )
