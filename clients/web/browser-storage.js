/** A storage of the browser; what that refuses is kept in this object, until the page is left. */
export class BrowserStorage {
  #storage;
  #kept = new Map();

  /** `storage()`: where the browser blocks it, already the attempt to get it throws. */
  constructor(storage) {
    this.#storage = storage;
  }

  getItem(name) {
    return this.#kept.get(name) ?? this.#tried((storage) => storage.getItem(name)) ?? null;
  }

  setItem(name, text) {
    this.#kept.set(name, text);
    this.#tried((storage) => {
      storage.setItem(name, text);
      this.#kept.delete(name);
    });
  }

  removeItem(name) {
    this.#kept.delete(name);
    this.#tried((storage) => storage.removeItem(name));
  }

  /** Whether the browser has refused to keep something. */
  get isRefused() {
    return this.#kept.size > 0;
  }

  #tried(use) {
    try {
      return use(this.#storage());
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
      return null;
    }
  }
}
