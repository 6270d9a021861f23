import { VARIABLE_NAMES, type Variables } from './variables.js';

/** JSON whose texts may contain variables. */
export type JsonTemplate =
  | string
  | number
  | boolean
  | null
  | readonly JsonTemplate[]
  | { readonly [name: string]: JsonTemplate };

const VARIABLE = new RegExp(`\\{(${VARIABLE_NAMES.join('|')})\\}`, 'g');
const WHOLE = new RegExp(`^\\{(${VARIABLE_NAMES.join('|')})\\}$`);
/** Anything that looks like a variable. */
const ANY_VARIABLE = /\{([a-z_]+)\}/g;

/** Names that look like variables but do not exist. */
export function unknownVariables(text: string): string[] {
  const names: readonly string[] = VARIABLE_NAMES;
  return [...text.matchAll(ANY_VARIABLE)].map((match) => match[1] as string).filter((name) => !names.includes(name));
}

/** Fills a URL. Values are percent-encoded, so they cannot change its structure. */
export function fillUrl(template: string, variables: Variables): string {
  return fill(template, variables, (value) => encodeURIComponent(value.toWellFormed()));
}

/** Fills headers and drops those with an unset variable. Characters not allowed in headers are percent-encoded. */
export function fillHeaders(templates: Readonly<Record<string, string>>, variables: Variables): Record<string, string> {
  return fields(templates, (text) => fill(text, variables, asHeader), variables);
}

/** Fills the fields of a form or query and drops those with an unset variable. Does not encode the values. */
export function fillFields(templates: Readonly<Record<string, string>>, variables: Variables): Record<string, string> {
  return fields(templates, (text) => fill(text, variables, (value) => value), variables);
}

/**
 * Fills JSON. A text that is exactly one variable becomes its value, which may be a number. Fields and entries with an unset
 * variable are dropped, and objects that become empty.
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

/** Headers should contain only printable ASCII (RFC 9110, 5.5). */
function asHeader(value: string): string {
  return value.toWellFormed().replace(/[^\x20-\x7e]+/g, encodeURIComponent);
}
