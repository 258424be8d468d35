/** Uploads and the states of documents, without a page. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { watchDocument } from "../../clients/web/document-watch.js";
import { refusalOf, sendFile } from "../../clients/web/file-upload.js";

const LIMITS = { types: [".md", ".pdf"], mostBytes: 50_000_000 };

test("a file that ingest would refuse is refused before it is sent", () => {
  assert.equal(refusalOf({ name: "Lease.PDF", size: 7 }, LIMITS), "");
  assert.match(refusalOf({ name: "lease.exe", size: 7 }, LIMITS), /possible are \.md, \.pdf/);
  assert.match(refusalOf({ name: "lease.md", size: 50_000_001 }, LIMITS), /larger than 50 MB/);
  assert.match(refusalOf({ name: "lease.md", size: 0 }, LIMITS), /empty/);
});

class FakeRequest extends EventTarget {
  upload = new EventTarget();
  static made;
  open(method, url) {
    Object.assign(this, { method, url });
    FakeRequest.made = this;
  }
  send(form) {
    this.form = form;
  }
  abort() {
    this.dispatchEvent(new Event("abort"));
  }
  end(status) {
    this.status = status;
    this.dispatchEvent(new Event("load"));
  }
}

function sending() {
  const parts = [];
  const aborter = new AbortController();
  const form = { url: "https://bucket.invalid/", fields: { key: "documents/a/b/lease.md", policy: "p" } };
  const options = { progress: (part) => parts.push(part), signal: aborter.signal, XMLHttpRequest: FakeRequest };
  const done = sendFile(new File(["text"], "lease.md"), form, options);
  return { done, parts, aborter, request: FakeRequest.made };
}

test("a file is sent behind the fields of its form, and how far it is is told", async () => {
  const { done, parts, request } = sending();
  assert.deepEqual([request.method, request.url, [...request.form.keys()]], ["POST", "https://bucket.invalid/", ["key", "policy", "file"]]);
  request.upload.dispatchEvent(Object.assign(new Event("progress"), { loaded: 1, total: 4 }));
  request.end(204);
  await done;
  assert.deepEqual(parts, [0.25]);
});

test("an upload that breaks can be tried again, and one that the store refuses cannot", async () => {
  for (const [end, retryable] of [[(each) => each.request.end(503), true], [(each) => each.request.end(403), false], [(each) => each.aborter.abort(), true]]) {
    const upload = sending();
    end(upload);
    await assert.rejects(upload.done, { code: "upload_failed", retryable });
  }
});

/** Looks at a document in these states, one look after the other; an error is a look that failed. */
async function watched(states, options = {}) {
  const [told, waits, timers] = [[], [], []];
  const aborter = new AbortController();
  const client = {
    async listDocuments() {
      const state = states.shift();
      if (state instanceof Error) throw state;
      return { documents: state ? [{ state }] : [] };
    },
  };
  const setTimeout = (look, wait) => timers.push(look) && waits.push(wait);
  watchDocument({ client, place: {}, signal: aborter.signal, told: (document) => told.push(document?.state ?? null), setTimeout, ...options });
  while (timers.length) await timers.shift()();
  return { told, waits };
}

test("a document is looked at ever less often until its ingest has ended", async () => {
  const { told, waits } = await watched(["waiting", new Error("offline"), "ingesting", "rejected", "waiting"]);
  assert.deepEqual(told, ["waiting", "ingesting", "rejected"]);
  assert.deepEqual(waits, [1000, 1500, 2250, 3375]);
});

test("a document that leaves is looked at until it is gone", async () => {
  const { told } = await watched(["leaving", "leaving", null, "leaving"], { leaving: true });
  assert.deepEqual(told, ["leaving", "leaving", null]);
});
