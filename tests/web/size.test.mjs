/** How much the page loads before anybody signs in. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

const PAGE = new URL("../../clients/web/", import.meta.url);
const MARKED = new URL("../../node_modules/marked/lib/marked.esm.js", import.meta.url);
const MOST_BYTES = 120_000;

const contentOf = (url) => readFileSync(url.href.endsWith("vendor/marked/marked.js") ? MARKED : url);

/** The module with all that it imports when it is loaded. */
function withImports(url, found = new Map()) {
  if (found.has(url.href)) return found;
  found.set(url.href, contentOf(url));
  const imports = found.get(url.href).toString().matchAll(/^(?:import|export)\b[^;]*? from "(\.[^"]+)"/gm);
  for (const [, path] of imports) withImports(new URL(path, url), found);
  return found;
}

test("what is loaded before signing in is at most 120 kB, in every language", () => {
  const html = readFileSync(new URL("index.html", PAGE), "utf-8");
  const named = [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, path]) => path);
  const found = new Map();
  for (const path of [...named, "evening.svg"]) withImports(new URL(path, PAGE), found);
  const bytes = [Buffer.from(html), ...found.values()].reduce((sum, content) => sum + gzipSync(content).length, 0);
  const words = ["de", "ja", "es", "fr", "ar"].map((name) => gzipSync(readFileSync(new URL(`words/${name}.js`, PAGE))).length);
  assert.ok(found.size > 20);
  assert.ok(bytes + Math.max(...words) <= MOST_BYTES, `${bytes + Math.max(...words)} bytes`);
});
