"""Schemas for tests."""

from __future__ import annotations

from cicada.knowledge_bases.file import parse_schema

PROCEDURES = """
sort = "-effective"
date = "effective"

[logins]
"ann@example.org" = "Ann Lee"

[fields.status]
type = "keyword"
values = ["draft", "approved", "retired"]
words = ["state"]
display = "Status"
shown = true

[fields.status.synonyms]
approved = ["in force", "valid"]
retired = ["withdrawn"]

[fields.owner]
type = "person"
display = "Owner"
is_owner = true
shown = true

[fields.effective]
type = "date"
display = "In force since"
shown = true

[fields.pages]
type = "number"

[fields.public]
type = "boolean"
shown = true

[fields.tags]
type = "keywords"

[fields.department]
type = "keywords"
values = ["Quality Assurance", "Research, Development"]
synonyms."Quality Assurance" = ["QA"]
synonyms."Research, Development" = ["R&D"]
"""
SCHEMA = parse_schema(PROCEDURES, "procedures.toml")
