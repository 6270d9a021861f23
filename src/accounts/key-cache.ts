import { hash, timingSafeEqual } from 'node:crypto';
import { createExpiringCache } from '../platform/short-cache.js';
import { withResolvers } from '../platform/with-resolvers.js';
import type { KeyUsage } from './key-usage.js';

/** A revoked API key may still be accepted until its cache entry expires. */
const LIFETIME_MS = 1500;
/** Age at which a cache entry is refreshed in the background on its next use. */
const REFRESH_MS = 750;
const UNKNOWN_LIFETIME_MS = 1000;
const MAX_KNOWN = 10_000;
const MAX_UNKNOWN = 10_000;
const LOOKUP_SIZE = 200;
/** Longer texts cannot be API keys, so they are refused without hashing. */
export const MAX_KEY_LENGTH = 256;

export interface StoredKey<T> {
  /** SHA-256 of the key. */
  keyHash: Uint8Array;
  value: T;
}

interface CacheEntry<T> {
  value: T;
  isRefreshing: boolean;
}

interface Lookup<T> {
  keyHash: Uint8Array<ArrayBuffer>;
  result: Promise<T | null>;
  resolve(value: T | null): void;
  reject(error: unknown): void;
}

/** Looks up API keys in batches, one query at a time, so that a flood of wrong keys occupies only one connection. */
export class KeyCache<T extends { keyId: string }> {
  readonly #loadKeys: (keyHashes: Uint8Array<ArrayBuffer>[]) => Promise<StoredKey<T>[]>;
  readonly #uses: Pick<KeyUsage, 'record'> | undefined;
  // The cache is keyed by hash, because the duration of a lookup must reveal nothing about the API key.
  readonly #knownKeys = createExpiringCache<CacheEntry<T>>({ max: MAX_KNOWN, lifetimeMs: LIFETIME_MS });
  readonly #unknownKeys = createExpiringCache<true>({ max: MAX_UNKNOWN, lifetimeMs: UNKNOWN_LIFETIME_MS });
  readonly #pendingLookups = new Map<string, Lookup<T>>();
  #isLookingUp = false;

  constructor(
    load: (keyHashes: Uint8Array<ArrayBuffer>[]) => Promise<StoredKey<T>[]>,
    uses?: Pick<KeyUsage, 'record'>,
  ) {
    this.#loadKeys = load;
    this.#uses = uses;
  }

  /** Synchronous for cached keys. */
  find(key: string): T | null | Promise<T | null> {
    if (key.length > MAX_KEY_LENGTH) return null;
    const cacheKey = hash('sha256', key, 'base64');
    const entry = this.#knownKeys.get(cacheKey);
    if (entry) {
      if (!entry.isRefreshing && this.#knownKeys.getRemainingTTL(cacheKey) < LIFETIME_MS - REFRESH_MS) {
        entry.isRefreshing = true;
        // Ignore a failed refresh, because the first lookup after the cache entry has expired will report the failure.
        this.#lookUp(cacheKey).catch(() => undefined);
      }
      return entry.value;
    }
    return this.#unknownKeys.has(cacheKey) ? null : this.#lookUp(cacheKey);
  }

  #lookUp(cacheKey: string): Promise<T | null> {
    let lookup = this.#pendingLookups.get(cacheKey);
    if (!lookup) {
      const { promise, resolve, reject } = withResolvers<T | null>();
      lookup = { keyHash: Uint8Array.from(Buffer.from(cacheKey, 'base64')), result: promise, resolve, reject };
      this.#pendingLookups.set(cacheKey, lookup);
      if (!this.#isLookingUp) void this.#processLookups();
    }
    return lookup.result;
  }

  async #processLookups(): Promise<void> {
    this.#isLookingUp = true;
    // Wait for the next iteration of the event loop, so that all requests of the current iteration share one query.
    await new Promise(setImmediate);
    while (this.#pendingLookups.size > 0) {
      const batch = [...this.#pendingLookups].slice(0, LOOKUP_SIZE);
      try {
        const foundKeys = await this.#findValues(
          new Map(batch.map(([cacheKey, lookup]) => [cacheKey, lookup.keyHash])),
        );
        for (const [cacheKey, lookup] of batch)
          lookup.resolve(this.#remember(cacheKey, foundKeys.get(cacheKey) ?? null));
      } catch (error) {
        // Reject lookups that arrived during the failed query as well, because their own query would probably fail too.
        for (const lookup of this.#pendingLookups.values()) lookup.reject(error);
        this.#pendingLookups.clear();
      }
      for (const [cacheKey] of batch) this.#pendingLookups.delete(cacheKey);
    }
    this.#isLookingUp = false;
  }

  async #findValues(wantedHashes: ReadonlyMap<string, Uint8Array<ArrayBuffer>>): Promise<Map<string, T>> {
    const values = new Map<string, T>();
    const storedKeys = await this.#loadKeys([...wantedHashes.values()]);
    this.#uses?.record(storedKeys.map(({ value }) => value.keyId));
    for (const { keyHash, value } of storedKeys) {
      const cacheKey = Buffer.from(keyHash).toString('base64');
      const wantedHash = wantedHashes.get(cacheKey);
      if (wantedHash && timingSafeEqual(wantedHash, keyHash)) values.set(cacheKey, value);
    }
    return values;
  }

  #remember(cacheKey: string, value: T | null): T | null {
    if (value !== null) {
      this.#unknownKeys.delete(cacheKey);
      this.#knownKeys.set(cacheKey, { value, isRefreshing: false });
    } else {
      this.#knownKeys.delete(cacheKey);
      this.#unknownKeys.set(cacheKey, true);
    }
    return value;
  }
}
