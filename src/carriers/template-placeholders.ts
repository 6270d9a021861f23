/** Matches placeholders in Meta's syntax: `{{1}}` or `{{first_name}}`. */
const PLACEHOLDER = /\{\{\s*(\w+)\s*\}\}/g;

export function listPlaceholderKeys(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(PLACEHOLDER), (match) => match[1] as string))];
}

/** E.g. `{{}}`, `{{first name}}`, `{{1`. */
export function hasBrokenPlaceholder(text: string): boolean {
  return /\{\{|\}\}/.test(text.replace(PLACEHOLDER, ''));
}

export function isPositionKey(key: string): boolean {
  return /^\d+$/.test(key);
}

/** Placeholders with unknown keys stay unchanged, and inserted values are not scanned for placeholders. */
export function fillPlaceholders(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(PLACEHOLDER, (placeholder, key: string) => values.get(key) ?? placeholder);
}
