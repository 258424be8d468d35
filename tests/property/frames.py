"""Frames of every kind, good and bad, made by a seeded generator.

All free text in them holds `SECRET`, so that a reply which quotes any of it can be told.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

SECRET = "zq7"
# Ids under which sessions are shared, one for each name that a session may have.
SHARE_IDS = tuple(f"share{number}" for number in range(5))

Fields = dict[str, Any]

# Shortest first where there is a choice, so that most frames are short.
_LENGTHS = (1, 3, 10, 40, 64, 65, 128, 129, 256, 257, 600)
_ALPHABETS = ("abcXYZ 019", "äßç→漢字🙂", "\x00\x01\x1f\x7f\u2028\ufeff", "\"\\/{}[]:,'", "\ud800\udfff")
_NAMES = ("requestId", "message", "sessionId", "knowledgeBase", "scope", "afterSeq", "before", "limit", "action")
_WRONG: tuple[object, ...] = (
    *(None, True, False, -1, 0, 1, 51, 99_999_999, 100_000_000, 10**30, 10**400, 1.0, 1.5, -0.0, 1e308),
    *("", " ", "0", "null", "$default", [], [[]], [None], {}, {"": {}}, [1, "a"], {"a": None}),
)
_HUGE = ("1" * 5000, "1e400", "-1e400", "0." + "1" * 5000, "NaN", "Infinity", "-Infinity", "00", "0x1F", "1_000")


@dataclass(frozen=True)
class FrameMaker:
    """`known`: ids of requests that a command may mean."""

    chance: Random
    known: Sequence[str]

    def frame(self) -> str:
        """One frame; what it is worth is for the reader to find out."""
        makers: tuple[Callable[[], str], ...] = (
            *(self._good,) * 6,
            *(self._with_wrong_fields,) * 8,
            *(self._with_typing_errors,) * 4,
            self._any_json,
            self._noise,
            self._with_huge_number,
        )
        # Too long to be among so many.
        if self.chance.random() < 0.002:
            return self.chance.choice((self._nested, self._long))()
        return self.chance.choice(makers)()

    # ---- good ----

    def command(self) -> Fields:
        common = (self._send, self._resume, self._cancel, self._history, self._open_document, self._ping)
        kinds = (
            *common,
            self._change_session,
            self._delete_session,
            self._feedback,
            self._list_bases,
            self._of_documents,
            self._share,
            self._of_accounts,
            self._list_more,
            self._erase_mine,
        )
        fields = self.chance.choices(kinds, (4, 2, 2, 2, 1, 2, 1, 1, 1, 1, 3, 3, 7, 1, 0.06))[0]()
        if self._one_in(4):
            fields[self._text(8)] = self._value()
        return fields

    def _good(self) -> str:
        return self._dumped(self.command())

    def _send(self) -> Fields:
        fields: Fields = {"action": "sendMessage", "requestId": self._id(), "message": self._text()}
        if self._one_in(6):
            # The same of the same request is a repeat.
            return fields | {"message": SECRET}
        optional: dict[str, Callable[[], object]] = {
            "sessionId": self._name,
            "knowledgeBase": self._name,
            "scope": self._scope,
        }
        for name, make in optional.items():
            if self._one_in(3):
                fields[name] = None if self._one_in(5) else make()
        if self._one_in(9):
            fields["without"] = {"requestId": self._id(), "condition": self.chance.choice((0, 1, 999, 1000))}
        return fields

    def _scope(self) -> Fields:
        scope: Fields = {}
        if self._one_in(2):
            scope["episodes"] = [self._text(20) for _ in range(self.chance.randrange(4))]
        if self._one_in(2):
            scope["metadata"] = {f"m{SECRET}{number}": [self._text(20)] for number in range(self.chance.randrange(12))}
        return scope

    def _resume(self) -> Fields:
        after = self.chance.choice((0, 0, 1, 2, 3, 5, 99_999_999))
        return {"action": "resume", "requestId": self._id(), "afterSeq": after}

    def _list_more(self) -> Fields:
        offset = self.chance.choice((0, 0, 0, 1, 20, 99_999_999, -1))
        return {"action": "listMore", "requestId": self._id(), "answer": self._id(), "offset": offset}

    def _cancel(self) -> Fields:
        return {"action": "cancel", "requestId": self._id()}

    def _history(self) -> Fields:
        fields: Fields = {"action": "history"}
        if self._one_in(2):
            fields["sessionId"] = self._name()
        if self._one_in(2):
            fields["limit"] = self.chance.randrange(-1, 53)
        if self._one_in(3):
            fields["before"] = self.chance.choice(
                ("2027-01-15T08:00:00.000+00:00", "2027-01-15", "0001-01-01T00:00:00+23:59", "9999-12-31", SECRET, "")
            )
        return fields

    def _change_session(self) -> Fields:
        fields: Fields = {"action": "changeSession", "requestId": self._id(), "sessionId": self._name()}
        if self._one_in(2):
            fields["title"] = self._text(90)
        if self._one_in(2):
            fields["pinned"] = self.chance.choice((True, False, None))
        return fields

    def _delete_session(self) -> Fields:
        return {"action": "deleteSession", "requestId": self._id(), "sessionId": self._name()}

    def _share(self) -> Fields:
        """Shares a session, ends that, or opens what may be shared."""
        action = self.chance.choice(("shareSession", "unshareSession", "openShared"))
        if action != "openShared":
            return {"action": action, "requestId": self._id(), "sessionId": self._name()}
        shared = self.chance.choice((*SHARE_IDS, self._text(200)))
        fields: Fields = {"action": action, "requestId": self._id(), "shareId": shared}
        if self._one_in(3):
            fields["limit"] = self.chance.randrange(-1, 53)
        if self._one_in(4):
            fields["before"] = self.chance.choice(("2027-01-15T08:00:00.000+00:00", "9999-12-31", SECRET, ""))
        return fields

    def _erase_mine(self) -> Fields:
        return {"action": "eraseMine", "requestId": self._id()}

    def _list_bases(self) -> Fields:
        return {"action": "listKnowledgeBases", "requestId": self._id()}

    def _feedback(self) -> Fields:
        fields: Fields = {"action": "feedback", "requestId": self._id()}
        if not self._one_in(3):
            fields["rating"] = self.chance.choice(("good", "bad"))
        if self._one_in(3):
            fields["reasons"] = self.chance.choice(([], ["wrong"], ["wrong", "other"]))
        if self._one_in(3):
            fields["comment"] = self._text(40)
        return fields

    def _open_document(self) -> Fields:
        fields: Fields = {"action": "openDocument", "requestId": self._id()}
        fields["knowledgeBase"] = self.chance.choice(("scripts", "scripts", self._name()))
        fields["documentId"] = self.chance.choice(("macbeth.json", "macbeth.json", self._text(20)))
        if self._one_in(2):
            fields["passage"] = self.chance.choice(("0@v1", "0", "0@v2", "7", self._text(20)))
        if self._one_in(3):
            fields["page"] = self.chance.randrange(0, 4)
        if self._one_in(3):
            fields["original"] = self.chance.choice((True, False))
        return fields

    def _of_documents(self) -> Fields:
        """A list, an upload, a description or a removal."""
        action = self.chance.choice(("listDocuments", "uploadDocument", "describeDocument", "removeDocument"))
        fields: Fields = {"action": action, "requestId": self._id(), "knowledgeBase": "scripts"}
        name = self.chance.choice(("macbeth.json", "macbeth.json", f"{self._name()}.md", self._text(20)))
        if action == "uploadDocument":
            fields |= {"name": name, "size": self.chance.choice((0, 7, 7, 60_000_000)), "replace": self._one_in(2)}
        elif action != "listDocuments" or self._one_in(2):
            fields["documentId"] = name
        if action == "listDocuments" and self._one_in(3):
            fields["filters"] = [
                {"field": self.chance.choice(("status", self._text(9))), "op": "eq", "value": self._text(20)}
            ]
        if action == "listDocuments" and self._one_in(2):
            fields |= {"search": self._text(20), "sort": self.chance.choice(("title", "-ingestedAt", self._text(9)))}
        if action == "describeDocument" and self._one_in(2):
            fields |= {"fields": {"status": [self._text(20)]}, "version": self._text(5)}
        if self._one_in(3) and action in ("uploadDocument", "describeDocument"):
            fields["readers"] = self.chance.choice((["everyone"], [f"user:{self._text(9)}"], ["everyone", "group:a"]))
        return fields

    def _of_accounts(self) -> Fields:
        """What an administrator sends."""
        action = self.chance.choice(
            (
                "listUsers",
                "addUser",
                "disableUser",
                "enableUser",
                "setGroups",
                "readUse",
                "readFeedback",
                "readFailures",
            )
        )
        fields: Fields = {"action": action, "requestId": self._id()}
        if action == "listUsers":
            return fields | ({"after": self._text(20)} if self._one_in(3) else {})
        if action.startswith("read"):
            days = (0, 1, 3, 5, 7, 8) if action == "readUse" else (0, 1, 7, 8, 31, 32)
            return fields | ({"days": self.chance.choice(days)} if self._one_in(2) else {})
        fields["name"] = self.chance.choice(("bob", "ann", f"{SECRET}{self.chance.randrange(99)}", self._text(20)))
        if action in ("addUser", "setGroups"):
            some: tuple[list[str], ...] = (
                [],
                ["hr"],
                ["hr", "admins"],
                ["new"],
                ["tenant:b"],
                ["pool_x"],
                ["a b"],
            )
            fields |= {"groups": self.chance.choice(some), "createGroups": self._one_in(2)}
        return fields

    def _ping(self) -> Fields:
        return {"action": "ping"}

    # ---- bad, and what may still be good ----

    def _with_wrong_fields(self) -> str:
        fields = self.command()
        for _ in range(self.chance.randrange(1, 3)):
            name = self.chance.choice([*fields, *_NAMES])
            match self.chance.randrange(5):
                case 0:
                    fields.pop(name, None)
                case 1:
                    fields[name] = self.chance.choice(_WRONG)
                case 2:
                    fields[name] = self._text()
                case 3:
                    fields[self._misspelt(name)] = fields.pop(name, None)
                case 4:
                    fields[name] = self._value()
        return self._dumped(fields)

    def _misspelt(self, name: str) -> str:
        changes: tuple[Callable[[str], str], ...] = (
            str.upper,
            str.lower,
            lambda word: f"{word} ",
            lambda word: word.replace("Id", "_id"),
            lambda word: "",
        )
        return self.chance.choice(changes)(name)

    def _with_typing_errors(self) -> str:
        text = self._dumped(self.command())
        for _ in range(self.chance.randrange(1, 4)):
            start = self.chance.randrange(len(text) + 1)
            end = min(len(text), start + self.chance.choice((0, 1, 1, 2, 9, 1000)))
            inserted = self.chance.choice(("", "", self._text(3), '"', "}", ",", text[start:end] * 2, "//", "\ufeff"))
            text = text[:start] + inserted + text[end:]
        return text

    def _any_json(self) -> str:
        return self._dumped(self._value())

    def _noise(self) -> str:
        return self._text()

    def _with_huge_number(self) -> str:
        fields = self.command()
        name = self.chance.choice(("afterSeq", "limit", "message", "action"))
        return self._dumped(fields | {name: "HERE"}).replace('"HERE"', self.chance.choice(_HUGE))

    def _nested(self) -> str:
        opening, inner, closing = self.chance.choice((("[", "", "]"), ('{"scope":', "1", "}"), ('{"a":[', "", "]}")))
        depth = self.chance.choice((5_000, 12_000))
        nested = opening * depth + inner + (closing * depth if self._one_in(2) else "")
        if self._one_in(2):
            return nested
        return self._dumped(self._send() | {"scope": "HERE"}).replace('"HERE"', nested)

    def _long(self) -> str:
        length = self.chance.choice((8_000, 8_001, 30_000, 131_000, 140_000))
        return self._dumped(self._send() | {"message": self.chance.choice("aä🙂") * length})

    # ---- parts ----

    def _one_in(self, number: int) -> bool:
        return self.chance.randrange(number) == 0

    def _id(self) -> str:
        if self._one_in(2):
            return self.chance.choice(self.known)
        digits = f"{self.chance.getrandbits(128):032x}"
        parts = (digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])
        return "-".join(parts).upper() if self._one_in(5) else "-".join(parts)

    def _name(self) -> str:
        return f"{SECRET}{self.chance.randrange(5)}"

    def _text(self, longest: int = 600) -> str:
        length = min(longest, self.chance.choice(_LENGTHS[: self.chance.randrange(2, len(_LENGTHS) + 1)]))
        alphabet = self.chance.choice(_ALPHABETS[: self.chance.randrange(1, len(_ALPHABETS) + 1)])
        return SECRET + "".join(self.chance.choices(alphabet, k=length))

    def _value(self, depth: int = 3) -> object:
        match self.chance.randrange(6 if depth else 4):
            case 0:
                return self._text(20)
            case 1:
                return self.chance.choice(_WRONG)
            case 2:
                return self.chance.randrange(-(2**70), 2**70)
            case 3:
                return self.command() if depth else self._name()
            case 4:
                return [self._value(depth - 1) for _ in range(self.chance.randrange(4))]
            case _:
                return {self._text(5): self._value(depth - 1) for _ in range(self.chance.randrange(4))}

    def _dumped(self, value: object) -> str:
        spaces = self.chance.choice((None, (",", ":"), (" , ", "\t:\n")))
        return json.dumps(value, ensure_ascii=self._one_in(2), separators=spaces)
