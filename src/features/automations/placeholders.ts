import type { TemplateComponent } from '../../carriers/content.js';

/** `{{contact.name}}` or `{{variables.order}}`; anything else in double braces is a mistake, or Meta's own. */
const PLACEHOLDER = /\{\{\s*([^{}]*?)\s*\}\}/g;
const CONTACT_FIELDS = ['name', 'phone', 'email'] as const;
const VARIABLE = /^variables\.(\w{1,64})$/;

export const VARIABLE_NAME = /^\w{1,64}$/;

/** What placeholders stand for in one run. */
export interface RunValues {
  contact: Readonly<Record<(typeof CONTACT_FIELDS)[number], string>>;
  variables: Readonly<Record<string, string>>;
}

/** A placeholder of a run's steps has no value. */
export class MissingVariable extends Error {
  readonly variable: string;

  constructor(variable: string) {
    super(`The variable ${variable} has no value.`);
    this.variable = variable;
  }
}

/** The placeholders of a text that stand for nothing, as they are written. */
export function unknownPlaceholders(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)]
    .filter(([, key = '']) => !VARIABLE.test(key) && !isContactField(key))
    .map(([placeholder]) => placeholder);
}

/** Names of the variables that a text needs, each once. */
export function variablesOf(text: string): string[] {
  const names = [...text.matchAll(PLACEHOLDER)].map(([, key = '']) => VARIABLE.exec(key)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))];
}

/**
 * Puts the values in place, once: a value that itself looks like a placeholder stays as it is.
 * @throws {MissingVariable} for a variable without a value
 */
export function fillText(text: string, values: RunValues): string {
  return text.replace(PLACEHOLDER, (placeholder, key: string) => {
    const name = VARIABLE.exec(key)?.[1];
    if (name !== undefined) {
      if (!Object.hasOwn(values.variables, name)) throw new MissingVariable(name);
      return values.variables[name] as string;
    }
    return isContactField(key) ? values.contact[key.slice('contact.'.length) as 'name'] : placeholder;
  });
}

/** Calls a function with every text of components that a recipient reads, and puts what it returns in its place. */
export function mapTexts(components: readonly TemplateComponent[], map: (text: string) => string): TemplateComponent[] {
  return components.map((component) => ({
    ...component,
    ...(component.parameters && { parameters: component.parameters.map((each) => mapStrings(each, map)) }),
  }));
}

/** `type` and `parameter_name` say what a parameter is; its other texts are what it holds. */
function mapStrings<T extends object>(value: T, map: (text: string) => string): T {
  const entries = Object.entries(value).map(([key, each]) => {
    if (key === 'type' || key === 'parameter_name') return [key, each];
    if (typeof each === 'string') return [key, map(each)];
    return [key, typeof each === 'object' && each !== null ? mapStrings(each, map) : each];
  });
  return Object.fromEntries(entries) as T;
}

function isContactField(key: string): boolean {
  return CONTACT_FIELDS.some((field) => key === `contact.${field}`);
}
