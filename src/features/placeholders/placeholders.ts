import type { TemplateComponent } from '../../carriers/content.js';

/** Anything in double braces: `{{contact.name}}`, `{{variables.order|your order}}`, or a mistake, or Meta's own. */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;
const CONTACT_FIELDS = ['name', 'phone', 'email'] as const;
/**
 * Double braces that are opened and not closed, or the other way round. Two that close stand in JSON too, so they count
 * behind what looks like a placeholder; the last one that does, so that each part of a text is looked through once.
 */
const BROKEN = /\{\{[^{}\n]{0,40}\}?|\{?\b(?:contact|variables)\.(?:(?!\b(?:contact|variables)\.)[^{}\n])*\}\}/g;
const VARIABLE = /^variables\.(\w{1,64})$/;

export const VARIABLE_NAME = /^\w{1,64}$/;

/** What a client is told of a placeholder that stands for nothing. */
export const PLACEHOLDER_RULE =
  'a placeholder is {{contact.name}}, {{contact.phone}}, {{contact.email}} or {{variables.<name>}}, each with or without a fallback as in {{contact.name|there}}';

/** What placeholders stand for, for one contact. */
export interface PlaceholderValues {
  /** The number is null of one who is known by an id alone. */
  contact: Readonly<Record<(typeof CONTACT_FIELDS)[number], string | null>>;
  variables: Readonly<Record<string, string>>;
}

/** A placeholder names a variable that has no value, and has no fallback. */
export class MissingVariable extends Error {
  readonly variable: string;

  constructor(variable: string) {
    super(`The variable ${variable} has no value.`);
    this.variable = variable;
  }
}

/** A placeholder that stands for something. */
interface Placeholder {
  source: { contact: (typeof CONTACT_FIELDS)[number] } | { variable: string };
  /** What stands there instead of a value that is missing or blank; "" for none. */
  fallback: string;
}

/** Reads what stands between the braces; null when it stands for nothing. */
function read(inner: string): Placeholder | null {
  const [key = '', ...rest] = inner.split('|');
  const fallback = rest.join('|').trim();
  const variable = VARIABLE.exec(key.trim())?.[1];
  if (variable !== undefined) return { source: { variable }, fallback };
  const contact = CONTACT_FIELDS.find((field) => key.trim() === `contact.${field}`);
  return contact ? { source: { contact }, fallback } : null;
}

/** Whether a text has anything in double braces. */
export function hasPlaceholders(text: string): boolean {
  return text.match(PLACEHOLDER) !== null;
}

/** The placeholders of a text that stand for nothing, those that lack a brace among them, as they are written. */
export function unknownPlaceholders(text: string): string[] {
  const unknown = [...text.matchAll(PLACEHOLDER)].filter(([, inner = '']) => read(inner) === null);
  const broken = text.replace(PLACEHOLDER, ' ').matchAll(BROKEN);
  return [...unknown, ...broken].map(([placeholder]) => placeholder.trim());
}

/** Names of the variables that a text needs, each once: those that stand somewhere without a fallback. */
export function variablesOf(text: string): string[] {
  const names = [...text.matchAll(PLACEHOLDER)].flatMap(([, inner = '']) => {
    const placeholder = read(inner);
    return placeholder && 'variable' in placeholder.source && placeholder.fallback === ''
      ? [placeholder.source.variable]
      : [];
  });
  return [...new Set(names)];
}

/**
 * Puts the values in place, once: a value that itself looks like a placeholder stays as it is. Where a value is missing
 * or blank its fallback stands, or nothing.
 * @throws {MissingVariable} for a variable without a value and without a fallback
 */
export function fillText(text: string, values: PlaceholderValues): string {
  return fill(text, values, (value) => value);
}

function fill(text: string, values: PlaceholderValues, write: (value: string) => string): string {
  return text.replace(PLACEHOLDER, (written, inner: string) => {
    const placeholder = read(inner);
    return placeholder ? write(valueFor(placeholder, values)) : written;
  });
}

function valueFor({ source, fallback }: Placeholder, { contact, variables }: PlaceholderValues): string {
  if ('contact' in source) {
    const known = contact[source.contact] ?? '';
    return known.trim() === '' ? fallback : known;
  }
  const value = Object.hasOwn(variables, source.variable) ? (variables[source.variable] as string) : null;
  if (value === null && fallback === '') throw new MissingVariable(source.variable);
  return value === null || value.trim() === '' ? fallback : value;
}

/**
 * Fills the placeholders of a template's parameters. Line ends, tabs and rows of blanks in the values become one blank,
 * for Meta refuses parameters that hold them (132018); so a message from a contact can be one.
 * @throws {MissingVariable} as `fillText`
 */
export function fillComponents(
  components: readonly TemplateComponent[],
  values: PlaceholderValues,
): TemplateComponent[] {
  return mapTexts(components, (text) => fill(text, values, (value) => value.replace(/\s+/g, ' ').trim()));
}

/** Whether placeholders have left a text of the components empty, which Meta takes no parameter to be. */
export function isLeftEmpty(components: readonly TemplateComponent[], filled: readonly TemplateComponent[]): boolean {
  const texts = textsOf(components);
  return textsOf(filled).some(({ text }, index) => text.trim() === '' && hasPlaceholders(texts[index]?.text ?? ''));
}

/**
 * Components as they might be sent, to see whether they fit a template: something stands for every placeholder. A text
 * that begins with one may be a link, and so looks like one.
 */
export function sampleComponents(components: readonly TemplateComponent[]): TemplateComponent[] {
  return mapTexts(components, (text) =>
    text.replace(/^\s*\{\{[^{}]*\}\}/, 'https://example.com/x').replace(PLACEHOLDER, 'x'),
  );
}

/** The texts of components in which placeholders are filled, each with its path, such as `[0].parameters[1].text`. */
export function textsOf(components: readonly TemplateComponent[]): { path: string; text: string }[] {
  const texts: { path: string; text: string }[] = [];
  mapTexts(components, (text, path) => {
    texts.push({ path, text });
    return text;
  });
  return texts;
}

/** Calls a function with every text of components that a recipient reads, and puts what it returns in its place. */
function mapTexts(
  components: readonly TemplateComponent[],
  map: (text: string, path: string) => string,
): TemplateComponent[] {
  return mapComponents(components, '', map);
}

/** Of a carousel the components of its cards too. */
function mapComponents(
  components: readonly TemplateComponent[],
  root: string,
  map: (text: string, path: string) => string,
): TemplateComponent[] {
  return components.map((component, at) => {
    const path = `${root}[${at}]`;
    const { parameters, cards } = component;
    return {
      ...component,
      ...(parameters && {
        parameters: parameters.map((each, index) => mapStrings(each, `${path}.parameters[${index}]`, map)),
      }),
      ...(Array.isArray(cards) && {
        cards: cards.map((card: { components?: TemplateComponent[] }, index) => ({
          ...card,
          ...(card.components && {
            components: mapComponents(card.components, `${path}.cards[${index}].components`, map),
          }),
        })),
      }),
    };
  });
}

/** `type` and `parameter_name` say what a parameter is; its other texts are what it holds. */
function mapStrings<T extends object>(value: T, path: string, map: (text: string, path: string) => string): T {
  if (Array.isArray(value)) return value.map((each, index) => mapOne(each, `${path}[${index}]`, map)) as unknown as T;
  const entries = Object.entries(value).map(([key, each]) => {
    const at = `${path}.${key}`;
    if (key === 'type' || key === 'parameter_name') return [key, each];
    return [key, mapOne(each, at, map)];
  });
  return Object.fromEntries(entries) as T;
}

function mapOne(value: unknown, path: string, map: (text: string, path: string) => string): unknown {
  if (typeof value === 'string') return map(value, path);
  return typeof value === 'object' && value !== null ? mapStrings(value, path, map) : value;
}
