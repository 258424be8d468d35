const DATABASE = "cicada";
const STORE = "signIn";
const ONLY = "kept";
/** A database of the browser that says nothing for so long is taken for one that it refuses. */
const PATIENCE_MS = 2_000;

/**
 * The sign-in that this device keeps beyond the browser's session, at most one: `{id, user, federated, refreshToken}`. It is
 * encrypted by a key that scripts can use and not read, so neither stands anywhere as text. docs/security.md says what that
 * protects from. Where the browser refuses its storage, nothing is kept, and nothing fails.
 */
export class KeptSignIn {
  #records;

  /** `records`: see `BrowserRecord`. */
  constructor(records = new BrowserRecord()) {
    this.#records = records;
  }

  /** Whether the browser keeps anything. What was kept stays. */
  async isPossible() {
    return this.#tried(async () => {
      const key = await newKey();
      await this.#records.change((record) => record ?? { key });
      await this.#records.change((record) => (record?.sealed ? record : null));
      return true;
    }, false);
  }

  /** What is kept, or null. */
  async read() {
    return this.#tried(async () => {
      const record = await this.#records.read();
      return record?.sealed ? unsealed(record) : null;
    }, null);
  }

  /** Keeps this sign-in and no other. Resolves to whether the browser did. */
  async keep(signIn) {
    return this.#tried(async () => {
      const record = await sealed(signIn, await newKey());
      await this.#records.change(() => record);
      return true;
    }, false);
  }

  /** The sign-in has another refresh token. What is not kept any more, because a tab has signed out, stays so. */
  async renew(signIn) {
    return this.#tried(async () => {
      const before = await this.#records.read();
      if (before?.id !== signIn.id) return;
      const record = await sealed(signIn, before.key);
      await this.#records.change((now) => (now?.id === signIn.id ? record : now));
    }, undefined);
  }

  /** Nothing is kept any more of this sign-in; without `id` of any. */
  async forget(id = null) {
    return this.#tried(() => this.#records.change((now) => (id && now?.id !== id ? now : null)), undefined);
  }

  async #tried(use, otherwise) {
    let timer;
    const tooLong = new Promise((resolve) => (timer = setTimeout(resolve, PATIENCE_MS, otherwise)));
    try {
      return await Promise.race([use(), tooLong]);
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
      return otherwise;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** A record in a database of the browser. */
class BrowserRecord {
  async read() {
    let found;
    await this.#open("readonly", (store) => (store.get(ONLY).onsuccess = ({ target }) => (found = target.result)));
    return found ?? null;
  }

  /** In one transaction, in which no other tab comes between. `change(record)` gives the new record, or null for none. */
  async change(change) {
    await this.#open("readwrite", (store) => {
      store.get(ONLY).onsuccess = ({ target }) => {
        const record = change(target.result ?? null);
        if (record) store.put(record, ONLY);
        else store.delete(ONLY);
      };
    });
  }

  async #open(mode, use) {
    if (!globalThis.indexedDB) throw new DOMException();
    const opening = indexedDB.open(DATABASE, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
    const database = await new Promise((resolve, reject) => {
      opening.onsuccess = () => resolve(opening.result);
      opening.onerror = () => reject(opening.error);
    });
    try {
      const transaction = database.transaction(STORE, mode);
      use(transaction.objectStore(STORE));
      await new Promise((resolve, reject) => {
        transaction.oncomplete = resolve;
        transaction.onabort = () => reject(transaction.error ?? new DOMException());
      });
    } finally {
      database.close();
    }
  }
}

function newKey() {
  return crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}

async function sealed({ id, user, federated, refreshToken }, key) {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const text = new TextEncoder().encode(JSON.stringify({ id, user, federated, refreshToken }));
  return { id, key, iv, sealed: await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, text) };
}

async function unsealed({ key, iv, sealed: bytes }) {
  return JSON.parse(new TextDecoder().decode(await crypto.subtle.decrypt({ name: "AES-GCM", iv }, key, bytes)));
}
