import { VARIABLE_NAMES, type Variables } from './variables.js';

/** JSON whose texts hold variables. */
export type JsonTemplate =
  | string
  | number
  | boolean
  | null
  | readonly JsonTemplate[]
  | { readonly [name: string]: JsonTemplate };

const VARIABLE = new RegExp(`\\{(${VARIABLE_NAMES.join('|')})\\}`, 'g');
const WHOLE = new RegExp(`^\\{(${VARIABLE_NAMES.join('|')})\\}$`);
/** What reads like a variable. */
const ANY_VARIABLE = /\{([a-z_]+)\}/g;

/** Names in a text that read like variables and are none. */
export function unknownVariables(text: string): string[] {
  const known: readonly string[] = VARIABLE_NAMES;
  return [...text.matchAll(ANY_VARIABLE)].map((match) => match[1] as string).filter((name) => !known.includes(name));
}

/** An address: what stands in for a variable is percent-encoded, so that it stays within the part of the address. */
export function fillUrl(template: string, variables: Variables): string {
  return fill(template, variables, (value) => encodeURIComponent(value.toWellFormed()));
}

/** Headers, without those whose variable has no value. What a header may not hold is percent-encoded. */
export function fillHeaders(templates: Readonly<Record<string, string>>, variables: Variables): Record<string, string> {
  return fields(templates, (text) => fill(text, variables, asHeader), variables);
}

/** Fields of a form or of a query, without those whose variable has no value. Whoever writes them down escapes them. */
export function fillFields(templates: Readonly<Record<string, string>>, variables: Variables): Record<string, string> {
  return fields(templates, (text) => fill(text, variables, (value) => value), variables);
}

/**
 * JSON: a text that is one variable becomes its value, a number where that is one. A field or entry without a value is left
 * out, and so is an object that has no other.
 */
export function fillJson(template: JsonTemplate, variables: Variables): unknown {
  if (typeof template === 'string') {
    const name = WHOLE.exec(template)?.[1] as keyof Variables | undefined;
    if (name !== undefined) return variables[name] ?? undefined;
    return fill(template, variables, (value) => value);
  }
  if (typeof template !== 'object' || template === null) return template;
  if (Array.isArray(template)) {
    return (template as readonly JsonTemplate[])
      .map((each) => fillJson(each, variables))
      .filter((each) => each !== undefined);
  }
  const entries = Object.entries(template);
  const filled = entries
    .map(([name, each]) => [name, fillJson(each, variables)] as const)
    .filter(([, value]) => value !== undefined);
  return filled.length === 0 && entries.length > 0 ? undefined : Object.fromEntries(filled);
}

function fields(
  templates: Readonly<Record<string, string>>,
  filled: (text: string) => string,
  variables: Variables,
): Record<string, string> {
  const present = Object.entries(templates).filter(([, text]) => hasValues(text, variables));
  return Object.fromEntries(present.map(([name, text]) => [name, filled(text)]));
}

function hasValues(template: string, variables: Variables): boolean {
  return [...template.matchAll(VARIABLE)].every((match) => variables[match[1] as keyof Variables] !== null);
}

function fill(template: string, variables: Variables, written: (value: string) => string): string {
  return template.replace(VARIABLE, (_whole, name: keyof Variables) => written(String(variables[name] ?? '')));
}

/** Printable ASCII alone is safe in a header (RFC 9110, 5.5). */
function asHeader(value: string): string {
  return value.toWellFormed().replace(/[^\x20-\x7e]+/g, encodeURIComponent);
}
