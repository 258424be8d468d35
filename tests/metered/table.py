"""DynamoDB tables in memory that count what AWS would bill.

They accept the adapters' calls in their wire form. Conditions are assumed to hold: one writer at a time is measured.
Sizes and units: Amazon DynamoDB Developer Guide, "DynamoDB item sizes and formats" and "DynamoDB read and write
operations".
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

Item = dict[str, Any]
Body = dict[str, Any]

_WRITE_UNIT_BYTES = 1024
_READ_UNIT_BYTES = 4096
_INDEX_KEY = ("historyKey", "historyOrder")
_INDEX_PROJECTION = (*_INDEX_KEY, "title", "expiresAt")


@dataclass(slots=True)
class Metered:
    """Bytes are those of the items as stored: each write counts the whole item, as its units do."""

    put_bytes: int = 0
    update_bytes: int = 0
    write_units: float = 0
    read_units: float = 0
    calls: int = 0

    @property
    def written_bytes(self) -> int:
        return self.put_bytes + self.update_bytes


class MeteredTables:
    """`metered` counts all calls so far, index included."""

    def __init__(self) -> None:
        self.metered = Metered()
        self._items: dict[tuple[str, str, str], Item] = {}
        self._sizes: dict[tuple[str, str, str], int] = {}

    def call(self, operation: str, body: Body) -> Body:
        """The reply to one call."""
        self.metered.calls += 1
        match operation:
            case "PutItem":
                self._put(body, factor=1)
                return {}
            case "UpdateItem":
                after = self._update(body, factor=1)
                return {"Attributes": after} if "ReturnValues" in body else {}
            case "TransactWriteItems":
                for write in body["TransactItems"]:
                    # A transaction's write is billed twice: once to prepare and once to commit.
                    self._put(write["Put"], factor=2) if "Put" in write else self._update(write["Update"], factor=2)
                return {}
            case "GetItem":
                return self._get(body)
        raise NotImplementedError(f"The meter does not take {operation}.")

    def _get(self, body: Body) -> Body:
        key = _item_key(body["TableName"], body["Key"])
        units = max(1, math.ceil(self._sizes.get(key, 0) / _READ_UNIT_BYTES))
        self.metered.read_units += units if body.get("ConsistentRead") else units / 2
        return {"Item": self._items[key]} if key in self._items else {}

    def _put(self, body: Body, *, factor: int) -> None:
        key = _item_key(body["TableName"], body["Item"])
        size = item_size(body["Item"])
        self.metered.put_bytes += size
        self._write(key, body["Item"], size, factor)

    def _update(self, body: Body, *, factor: int) -> Item:
        key = _item_key(body["TableName"], body["Key"])
        before: Item = self._items.get(key) or body["Key"]
        after, size = _updated(before, self._sizes.get(key) or item_size(before), body)
        self.metered.update_bytes += size
        self._write(key, after, size, factor)
        return after

    def _write(self, key: tuple[str, str, str], item: Item, size: int, factor: int) -> None:
        before, before_size = self._items.get(key, {}), self._sizes.get(key, 0)
        units = math.ceil(max(size, before_size) / _WRITE_UNIT_BYTES)
        # AWS does not say whether a transaction's index writes are billed twice; the higher cost is assumed.
        self.metered.write_units += (units + _index_units(before, item)) * factor
        self._items[key], self._sizes[key] = item, size


def item_size(item: Item) -> int:
    """Bytes of an item: its attributes' names and values."""
    return sum(len(name.encode()) + _value_size(value) for name, value in item.items())


def _value_size(value: Item) -> int:
    [(kind, held)] = value.items()
    match kind:
        case "S":
            return len(held.encode())
        case "N":
            # Two significant digits a byte, and one byte.
            return math.ceil(len(re.sub(r"\D", "", held).strip("0")) / 2) + 1
        case "BOOL" | "NULL":
            return 1
        case "L":
            return 3 + sum(1 + _value_size(each) for each in held)
        case "M":
            return 3 + sum(1 + len(name.encode()) + _value_size(each) for name, each in held.items())
    raise NotImplementedError(f"The meter does not know the type {kind}.")


def _updated(before: Item, size: int, body: Body) -> tuple[Item, int]:
    """The item and its size after an update expression. A list that is appended to is extended in key."""
    names, values = body.get("ExpressionAttributeNames", {}), body["ExpressionAttributeValues"]
    after = dict(before)
    for clause, assignments in _clauses(body["UpdateExpression"]):
        for assignment in re.split(r", (?![^(]*\))", assignments):
            target, _, source = assignment.replace(" = ", " ").strip().partition(" ")
            name = names.get(target, target)
            if clause == "SET" and source.startswith("list_append"):
                added = values[source.removesuffix(")").split(", ")[1]]["L"]
                after[name]["L"].extend(added)
                size += sum(1 + _value_size(each) for each in added)
                continue
            size -= item_size({name: after.pop(name)}) if name in after else 0
            if clause == "REMOVE":
                continue
            after[name] = _assigned(clause, before, name, source, values)
            size += item_size({name: after[name]})
    return after, size


def _assigned(clause: str, before: Item, name: str, source: str, values: Item) -> Item:
    if clause == "ADD":
        return {"N": str(int(before.get(name, {"N": 0})["N"]) + int(values[source]["N"]))}
    operands = [_operand(before, each, values) for each in source.split(" + ")]
    return operands[0] if len(operands) == 1 else {"N": str(sum(float(each["N"]) for each in operands))}


def _operand(before: Item, source: str, values: Item) -> Item:
    named = re.fullmatch(r"if_not_exists\((\w+), (:\w+)\)", source)
    if named and named[1] in before:
        source, values = named[1], before
    elif named:
        source = named[2]
    found: Item = values[source]
    return found


def _clauses(expression: str) -> list[tuple[str, str]]:
    parts = re.split(r"\b(SET|ADD|REMOVE) ", expression)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def _index_units(before: Item, after: Item) -> int:
    """The history index: nothing for an attribute that it does not hold, two when an entry has to move."""
    if "historyKey" not in after:
        return 0
    if not before or "historyKey" not in before:
        return 1
    if any(before[name] != after[name] for name in _INDEX_KEY):
        return 2
    return int(any(before.get(name) != after.get(name) for name in _INDEX_PROJECTION))


def _item_key(table: str, key: Item) -> tuple[str, str, str]:
    return table, key["pk"]["S"], key.get("sk", {"S": ""})["S"]
