import { storable } from '../../messages/status/status-store.js';

/**
 * JSON from outside with texts that PostgreSQL can store, as values and as names. Of two names that become one, the
 * later stays.
 */
export function storableJson<T extends object>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_, each: unknown) => {
    if (typeof each === 'string') return storable(each);
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return each;
    const entries = Object.entries(each);
    if (entries.every(([name]) => storable(name) === name)) return each;
    return Object.fromEntries(entries.map(([name, inner]) => [storable(name), inner]));
  });
}
