/** A template parameter in Meta's syntax: `{{1}}` or `{{first_name}}`. */
const PLACEHOLDER = /\{\{\s*(\w+)\s*\}\}/g;

/** Lists the placeholder keys in a text, without duplicates, in order of appearance. */
export function placeholderKeys(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(PLACEHOLDER), (match) => match[1] as string))];
}

/** Whether a text has double braces that do not form a placeholder: `{{}}`, `{{first name}}`, `{{1`. */
export function hasBrokenPlaceholder(text: string): boolean {
  return /\{\{|\}\}/.test(text.replace(PLACEHOLDER, ''));
}

/** Whether a key is a position (`1`) rather than a name (`first_name`). */
export function isPosition(key: string): boolean {
  return /^\d+$/.test(key);
}

/** Fills in values. Does not rescan inserted values; unknown keys stay. */
export function fillPlaceholders(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(PLACEHOLDER, (placeholder, key: string) => values.get(key) ?? placeholder);
}
