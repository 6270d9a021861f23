import { hash, timingSafeEqual } from 'node:crypto';
import { forgetfulCache } from '../platform/short-cache.js';
import { withResolvers } from '../platform/with-resolvers.js';
import type { KeyUses } from './key-uses.js';

/** Milliseconds after which a found key is no longer believed: a revocation is obeyed everywhere by then. */
const LIFETIME_MS = 1500;
/** Age in milliseconds from which a key in use is looked up again in advance, so that no request waits for it. */
const REFRESH_MS = 750;
/** Milliseconds for which a key is remembered as unknown. */
const UNKNOWN_LIFETIME_MS = 1000;
const MAX_KNOWN = 10_000;
const MAX_UNKNOWN = 10_000;
/** Keys that one query looks up. */
const LOOKUP_SIZE = 200;
/** No key of ours is longer; nothing longer is worth hashing. */
export const MAX_KEY_LENGTH = 256;

/** A key as the store holds it, and what it stands for. */
export interface StoredKey<T> {
  /** SHA-256 of the whole key. */
  keyHash: Uint8Array;
  value: T;
}

interface CacheEntry<T> {
  value: T;
  refreshing: boolean;
}

interface Lookup<T> {
  keyHash: Uint8Array<ArrayBuffer>;
  answer: Promise<T | null>;
  resolve(value: T | null): void;
  reject(error: unknown): void;
}

/**
 * Finds what a key stands for. Answers come from memory for at most 1.5 seconds; the keys that are not there are looked
 * up together, one query at a time, so a flood of wrong keys costs PostgreSQL one connection.
 */
export class KeyCache<T extends { keyId: string }> {
  readonly #load: (keyHashes: Uint8Array<ArrayBuffer>[]) => Promise<StoredKey<T>[]>;
  readonly #uses: Pick<KeyUses, 'note'> | undefined;
  // Keyed by the SHA-256 of the key: what the time of a look-up tells about a hash is no help in guessing a key.
  readonly #known = forgetfulCache<CacheEntry<T>>({ max: MAX_KNOWN, lifetimeMs: LIFETIME_MS });
  readonly #unknown = forgetfulCache<true>({ max: MAX_UNKNOWN, lifetimeMs: UNKNOWN_LIFETIME_MS });
  readonly #waiting = new Map<string, Lookup<T>>();
  #looking = false;

  /**
   * @param load reads those of some keys that are valid, in any order
   * @param uses told of the keys that a look-up found
   */
  constructor(load: (keyHashes: Uint8Array<ArrayBuffer>[]) => Promise<StoredKey<T>[]>, uses?: Pick<KeyUses, 'note'>) {
    this.#load = load;
    this.#uses = uses;
  }

  /**
   * What a valid key stands for, or null. Answers at once when memory holds it.
   * @param key the whole key as the caller sent it
   * @throws what PostgreSQL throws when a look-up fails
   */
  find(key: string): T | null | Promise<T | null> {
    if (key.length > MAX_KEY_LENGTH) return null;
    const place = hash('sha256', key, 'base64');
    const entry = this.#known.get(place);
    if (entry) {
      if (!entry.refreshing && this.#known.getRemainingTTL(place) < LIFETIME_MS - REFRESH_MS) {
        entry.refreshing = true;
        // A failure shows when the entry has run out.
        this.#lookUp(place).catch(() => undefined);
      }
      return entry.value;
    }
    return this.#unknown.has(place) ? null : this.#lookUp(place);
  }

  #lookUp(place: string): Promise<T | null> {
    let lookup = this.#waiting.get(place);
    if (!lookup) {
      const { promise, resolve, reject } = withResolvers<T | null>();
      lookup = { keyHash: Uint8Array.from(Buffer.from(place, 'base64')), answer: promise, resolve, reject };
      this.#waiting.set(place, lookup);
      if (!this.#looking) void this.#work();
    }
    return lookup.answer;
  }

  /** Looks up what waits until nothing does. */
  async #work(): Promise<void> {
    this.#looking = true;
    // Requests of the same turn of the event loop share the first query.
    await new Promise(setImmediate);
    while (this.#waiting.size > 0) {
      const batch = [...this.#waiting].slice(0, LOOKUP_SIZE);
      try {
        const found = await this.#find(new Map(batch.map(([place, lookup]) => [place, lookup.keyHash])));
        for (const [place, lookup] of batch) lookup.resolve(this.#remember(place, found.get(place) ?? null));
      } catch (error) {
        // The store failed, not the keys: those that came meanwhile need not wait for it to fail again.
        for (const lookup of this.#waiting.values()) lookup.reject(error);
        this.#waiting.clear();
      }
      for (const [place] of batch) this.#waiting.delete(place);
    }
    this.#looking = false;
  }

  async #find(asked: ReadonlyMap<string, Uint8Array<ArrayBuffer>>): Promise<Map<string, T>> {
    const found = new Map<string, T>();
    const stored = await this.#load([...asked.values()]);
    this.#uses?.note(stored.map(({ value }) => value.keyId));
    for (const { keyHash, value } of stored) {
      const place = Buffer.from(keyHash).toString('base64');
      const askedHash = asked.get(place);
      if (askedHash && timingSafeEqual(askedHash, keyHash)) found.set(place, value);
    }
    return found;
  }

  #remember(place: string, value: T | null): T | null {
    if (value !== null) {
      this.#unknown.delete(place);
      this.#known.set(place, { value, refreshing: false });
    } else {
      this.#known.delete(place);
      this.#unknown.set(place, true);
    }
    return value;
  }
}
