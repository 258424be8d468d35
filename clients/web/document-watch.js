const FIRST = 1000;
const LONGEST = 15_000;
const SETTLED = new Set(["searchable", "rejected"]);

/**
 * Looks at a document until its ingest has ended, or with `leaving` until it is gone: after a second, then ever less often.
 * `told(document)`: what it is now, null for one that is gone. Failures are waited out. `signal` ends it.
 */
export function watchDocument({ client, place, leaving = false, told, signal, setTimeout = globalThis.setTimeout }) {
  let wait = FIRST;
  const later = () => {
    if (!signal.aborted) setTimeout(look, wait);
    wait = Math.min(LONGEST, wait * 1.5);
  };
  const look = async () => {
    if (signal.aborted) return;
    try {
      const { documents } = await client.listDocuments(place);
      if (signal.aborted) return;
      const [found = null] = documents;
      told(found);
      if (leaving ? found : !found || !SETTLED.has(found.state)) later();
    } catch {
      later();
    }
  };
  later();
}
