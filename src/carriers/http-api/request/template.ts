import { VARIABLE_NAMES, type Variables } from './variables.js';

export type JsonTemplate =
  | string
  | number
  | boolean
  | null
  | readonly JsonTemplate[]
  | { readonly [name: string]: JsonTemplate };

const VARIABLE = new RegExp(`\\{(${VARIABLE_NAMES.join('|')})\\}`, 'g');
const WHOLE = new RegExp(`^\\{(${VARIABLE_NAMES.join('|')})\\}$`);
const ANY_VARIABLE = /\{([a-z_]+)\}/g;

export function findUnknownVariables(text: string): string[] {
  const names: readonly string[] = VARIABLE_NAMES;
  return [...text.matchAll(ANY_VARIABLE)].map((match) => match[1] as string).filter((name) => !names.includes(name));
}

/** Values are percent-encoded, so they cannot change the structure of the URL. */
export function fillUrl(template: string, variables: Variables): string {
  return fill(template, variables, (value) => encodeURIComponent(value.toWellFormed()));
}

/** Drops every header whose value contains an unset variable. */
export function fillHeaders(templates: Readonly<Record<string, string>>, variables: Variables): Record<string, string> {
  return fillTemplates(templates, (text) => fill(text, variables, encodeHeader), variables);
}

/** Drops every field whose value contains an unset variable, and does not encode the values. */
export function fillFields(templates: Readonly<Record<string, string>>, variables: Variables): Record<string, string> {
  return fillTemplates(templates, (text) => fill(text, variables, (value) => value), variables);
}

/**
 * A string that consists of a single variable becomes the variable's value, which may be a number. Objects that become empty
 * are dropped.
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
      .map((item) => fillJson(item, variables))
      .filter((item) => item !== undefined);
  }
  const entries = Object.entries(template);
  const filledEntries = entries
    .map(([name, member]) => [name, fillJson(member, variables)] as const)
    .filter(([, value]) => value !== undefined);
  return filledEntries.length === 0 && entries.length > 0 ? undefined : Object.fromEntries(filledEntries);
}

function fillTemplates(
  templates: Readonly<Record<string, string>>,
  fillText: (text: string) => string,
  variables: Variables,
): Record<string, string> {
  const completeTemplates = Object.entries(templates).filter(([, text]) => hasValues(text, variables));
  return Object.fromEntries(completeTemplates.map(([name, text]) => [name, fillText(text)]));
}

function hasValues(template: string, variables: Variables): boolean {
  return [...template.matchAll(VARIABLE)].every((match) => variables[match[1] as keyof Variables] !== null);
}

function fill(template: string, variables: Variables, encode: (value: string) => string): string {
  return template.replace(VARIABLE, (_whole, name: keyof Variables) => encode(String(variables[name] ?? '')));
}

/** Percent-encodes characters that are not printable ASCII (RFC 9110, 5.5). */
function encodeHeader(value: string): string {
  return value.toWellFormed().replace(/[^\x20-\x7e]+/g, encodeURIComponent);
}
