/** `{{1}}` or `{{first_name}}`, as Meta writes the parameters of a template. */
const PLACEHOLDER = /\{\{\s*(\w+)\s*\}\}/g;

/** The keys of the placeholders in a text, each once, in the order of their first appearance. */
export function placeholderKeys(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(PLACEHOLDER), (match) => match[1] as string))];
}

/** Whether a text has double braces that are no placeholder: `{{}}`, `{{first name}}`, `{{1`. */
export function hasBrokenPlaceholder(text: string): boolean {
  return /\{\{|\}\}/.test(text.replace(PLACEHOLDER, ''));
}

/** Whether a key is a position (`1`) rather than a name (`first_name`). */
export function isPosition(key: string): boolean {
  return /^\d+$/.test(key);
}

/** Puts the values in place, once: a value that itself looks like a placeholder stays as it is. Unknown keys stay. */
export function fillPlaceholders(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(PLACEHOLDER, (placeholder, key: string) => values.get(key) ?? placeholder);
}
