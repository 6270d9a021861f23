/** Removes NUL characters and replaces lone surrogates, because PostgreSQL rejects both. */
export function toStorable(text: string): string;
export function toStorable(text: string | null): string | null;
export function toStorable(text: string | null): string | null {
  return text === null ? null : text.replaceAll('\0', '').toWellFormed();
}

/** If two property names become equal, the later value is kept. */
export function toStorableJson<T extends object>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_, member: unknown) => {
    if (typeof member === 'string') return toStorable(member);
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    const entries = Object.entries(member);
    if (entries.every(([name]) => toStorable(name) === name)) return member;
    return Object.fromEntries(entries.map(([name, inner]) => [toStorable(name), inner]));
  });
}
