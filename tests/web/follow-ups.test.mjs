/** What is offered to be asked next of a list. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { followUps } from "../../clients/web/follow-ups.js";

const PLAN = { strategy: "MetadataOnly" };
const document = (number) => ({
  fields: { Status: "approved", Department: ["Laboratory", "Supply Chain"][number % 2], Kind: ["SOP", "policy", "report"][number % 3], Tags: "gmp, audit", Version: `${number % 2}.0`, Owner: `Person ${number}` },
});
const documents = Array.from({ length: 9 }, (_, number) => document(number));
const LISTING = { total: 57, documents, columns: ["Status", "Department", "Tags", "Version", "Owner", "Kind"] };

test("documents are told apart by columns of a few names that differ", () => {
  assert.deepEqual(followUps(PLAN, LISTING), ["How many are there by Department?", "How many are there by Kind?", "Only those with Kind SOP"]);
  assert.deepEqual(followUps(PLAN, { ...LISTING, columns: ["Status", "Owner", "Version"] }), []);
});

test("the largest groups are offered, but not one that has all", () => {
  const groups = [{ values: [null], documents: 2 }, { values: ["Laboratory"], documents: 30 }, { values: ["2026"], documents: 3 }, { values: ["Supply Chain"], documents: 22 }];
  const grouped = { ...LISTING, groupedBy: ["Department"], groups };
  assert.deepEqual(followUps(PLAN, grouped), ["Only those with Department Laboratory", "Only those with Department Supply Chain"]);
  assert.deepEqual(followUps(PLAN, { ...grouped, groups: [{ values: ["Laboratory"], documents: 57 }] }), []);
  assert.deepEqual(followUps(PLAN, { ...grouped, groupedBy: ["Department", "Kind"] }), []);
});

test("nothing is offered of a short list, of passages, of documents that were searched for, and of a question back", () => {
  assert.deepEqual(followUps(PLAN, { ...LISTING, total: 3 }), []);
  assert.deepEqual(followUps(PLAN, null), []);
  assert.deepEqual(followUps(undefined, LISTING), []);
  for (const strategy of ["ContentOnly", "Hybrid", "NeedsClarification"]) assert.deepEqual(followUps({ strategy }, LISTING), []);
});

test("withheld documents have no fields", () => {
  assert.deepEqual(followUps(PLAN, { ...LISTING, documents: [{ withheld: true }, ...documents] }).length, 3);
});
