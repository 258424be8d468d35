/** What `index.d.ts` declares by hand is what the client has. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import * as client from "../../clients/javascript/index.js";

const declared = readFileSync(new URL("../../clients/javascript/index.d.ts", import.meta.url), "utf8");
const found = (pattern, text = declared) => [...text.matchAll(pattern)].map(([, name]) => name).sort();
const body = (opening) => declared.split(opening)[1].split("\n}")[0];
const own = (object) => Object.getOwnPropertyNames(object).filter((name) => name !== "constructor");

test("what is exported is declared, and nothing else", () => {
  assert.deepEqual(found(/^export (?:class|const) (\w+)/gm), Object.keys(client).sort());
});

test("the methods and fields of a client are declared, and nothing else", () => {
  const instance = new client.CicadaClient({ url: "ws://127.0.0.1:1", token: async () => "t" });
  const members = found(/^  (?:readonly )?(\w+)(?:<.+?>)?[(:]/gm, body("export class CicadaClient extends Target {"));
  const has = [...own(client.CicadaClient.prototype), ...own(instance)].sort();
  assert.deepEqual(members.filter((name) => !["constructor", "addEventListener"].includes(name)), has);
});

test("the sentences and waiting times are declared, and no others", () => {
  for (const name of ["SENTENCES", "TIMINGS"]) {
    const names = declared.split(`export const ${name}:`)[1].split(";")[0];
    assert.deepEqual(found(/"(\w+)"/g, names), Object.keys(client[name]).sort());
  }
});
