"""Documents' metadata, and of conditions the documents that meet them: in every index, and without one."""

from __future__ import annotations

from cicada.documents.model import AnyOf, Condition, Contains, Exists, MetadataValue, NoneOf, Range

FIELDS: dict[str, dict[str, MetadataValue]] = {
    "d0": {
        "status": "approved",
        "value": 12_000.0,
        "effective": "2025-03-01",
        "secret": True,
        "tags": ("gmp", "audit"),
    },
    "d1": {"status": "draft", "value": -0.5, "effective": "2024-12-31", "secret": False, "tags": ("gmp",)},
    "d2": {"status": "true", "value": 9.0, "effective": "2025-12-31"},
    "d3": {"status": "1", "value": 1e300, "tags": ()},
    "d4": {},
}
CONDITIONS: list[tuple[tuple[Condition, ...], set[str]]] = [
    ((AnyOf("status", frozenset({"approved", "draft"})),), {"d0", "d1"}),
    ((AnyOf("tags", frozenset({"audit", "other"})),), {"d0"}),
    ((AnyOf("tags", frozenset({"gmp"})), AnyOf("tags", frozenset({"audit"}))), {"d0"}),
    ((AnyOf("secret", frozenset({True})),), {"d0"}),
    ((Contains("status", "PROV"),), {"d0"}),
    ((Contains("tags", "udi"),), {"d0"}),
    ((Contains("status", "*"),), set()),
    ((Contains("value", "9"),), set()),
    ((AnyOf("secret", frozenset({1.0, "true", "True"})),), set()),
    ((AnyOf("status", frozenset({True})),), set()),
    ((AnyOf("value", frozenset({9.0, -0.5})),), {"d1", "d2"}),
    ((AnyOf("value", frozenset()),), set()),
    ((NoneOf("status", frozenset({"approved", "1"})),), {"d1", "d2", "d4"}),
    ((NoneOf("tags", frozenset({"audit"})),), {"d1", "d2", "d3", "d4"}),
    ((NoneOf("tags", frozenset()),), {"d0", "d1", "d2", "d3", "d4"}),
    ((Range("effective", least="2025-01-01", below="2026-01-01"),), {"d0", "d2"}),
    ((Range("effective", above="2024-12-31"),), {"d0", "d2"}),
    ((Range("effective", most="2024-12-31"),), {"d1"}),
    ((Range("value", above=-0.5, most=12_000.0),), {"d0", "d2"}),
    ((Range("value", least=9.0),), {"d0", "d2", "d3"}),
    ((Range("value", below=0.0),), {"d1"}),
    ((Range("status", least=0.0),), set()),
    ((Range("value", least="0"),), set()),
    ((Range("value"),), {"d0", "d1", "d2", "d3"}),
    ((Range("effective"),), set()),
    ((Range("secret", least=0.0),), set()),
    ((Range("tags", least="h"),), set()),
    ((Range("tags", most="b"),), {"d0"}),
    ((Exists("effective"),), {"d0", "d1", "d2"}),
    ((Exists("effective", present=False),), {"d3", "d4"}),
    ((Exists("tags"),), {"d0", "d1"}),
    ((Exists("eff"),), set()),
    ((Exists("effective"), NoneOf("secret", frozenset({False}))), {"d0", "d2"}),
]
