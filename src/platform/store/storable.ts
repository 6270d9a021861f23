/** Makes a text storable in PostgreSQL: removes NUL characters and replaces lone surrogates. */
export function storable(text: string): string;
export function storable(text: string | null): string | null;
export function storable(text: string | null): string | null {
  return text === null ? null : text.replaceAll('\0', '').toWellFormed();
}

/** Makes all texts and names in JSON storable in PostgreSQL. If two names become equal, the later one stays. */
export function storableJson<T extends object>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_, each: unknown) => {
    if (typeof each === 'string') return storable(each);
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return each;
    const entries = Object.entries(each);
    if (entries.every(([name]) => storable(name) === name)) return each;
    return Object.fromEntries(entries.map(([name, inner]) => [storable(name), inner]));
  });
}
