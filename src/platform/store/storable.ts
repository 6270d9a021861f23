/** A text from outside as PostgreSQL can store it: without NUL characters and lone surrogates. */
export function storable(text: string): string;
export function storable(text: string | null): string | null;
export function storable(text: string | null): string | null {
  return text === null ? null : text.replaceAll('\0', '').toWellFormed();
}

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
