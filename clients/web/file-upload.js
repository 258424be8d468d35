import { CicadaError } from "../javascript/index.js";
import { listed, say } from "./words.js";

/**
 * Sends a file by a form of `uploadDocument`, past the service to the store of documents. `progress(part)`: 0 to 1.
 * Resolves when the file is there, and rejects with a `CicadaError`; `signal` ends it.
 */
export function sendFile(file, { url, fields }, { progress, signal, XMLHttpRequest = globalThis.XMLHttpRequest }) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("file", file);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const fail = (sentence, retryable) => reject(new CicadaError(sentence, { code: "upload_failed", retryable }));
    request.upload.addEventListener("progress", ({ loaded, total }) => progress(total ? loaded / total : 0));
    request.addEventListener("load", () => {
      if (request.status >= 200 && request.status < 300) resolve();
      else if (request.status < 500) fail(say("upload.changed"), false);
      else fail(say("upload.storeDown"), true);
    });
    request.addEventListener("error", () => fail(say("upload.broken"), true));
    request.addEventListener("abort", () => fail(say("upload.broken"), true));
    signal?.addEventListener("abort", () => request.abort());
    request.open("POST", url);
    request.send(form);
  });
}

/** Why a file cannot be uploaded, whatever is in it; empty if it can. */
export function refusalOf({ name, size }, { types, mostBytes }) {
  const lower = name.toLowerCase();
  if (!types.some((type) => lower.endsWith(type))) return say("upload.unreadable", { types: listed(types) });
  if (size > mostBytes) return say("upload.tooLarge", { megabytes: Math.floor(mostBytes / 1e6) });
  return size === 0 ? say("upload.empty") : "";
}
