/** PostgreSQL rejects NUL characters and lone surrogates. */
export function toStorable(text: string): string;
export function toStorable(text: string | null): string | null;
export function toStorable(text: string | null): string | null {
  return text === null ? null : text.replaceAll('\0', '').toWellFormed();
}

/** If two names become equal, the later one stays. */
export function toStorableJson<T extends object>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_, each: unknown) => {
    if (typeof each === 'string') return toStorable(each);
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return each;
    const entries = Object.entries(each);
    if (entries.every(([name]) => toStorable(name) === name)) return each;
    return Object.fromEntries(entries.map(([name, inner]) => [toStorable(name), inner]));
  });
}
