import type { TemplateComponent } from '../../carriers/content.js';
import { CONTACT_FIELD_NAMES } from '../contacts/contact-fields.js';
import { type CustomValue, type CustomValues, formatValue } from '../contacts/custom/field-values.js';
import { resolveLocale } from '../contacts/locale.js';

/** Matches any text in double braces, including mistakes and Meta's parameters. */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;
const CONTACT_PLACEHOLDERS = [...new Set(['name', 'phone', ...CONTACT_FIELD_NAMES] as const)];
type ContactPlaceholder = (typeof CONTACT_PLACEHOLDERS)[number];
const WRITTEN_PLACEHOLDERS = [...CONTACT_PLACEHOLDERS, 'fields.<key>'].map((field) => `{{contact.${field}}}`);
export const DOCUMENTED_PLACEHOLDERS = WRITTEN_PLACEHOLDERS.map((placeholder) => `\`${placeholder}\``).join(', ');
/**
 * Closing braces also occur in JSON, so they count only after the name of a placeholder. Only the last placeholder name
 * before the braces is matched, so that matching takes linear time.
 */
const BROKEN_PLACEHOLDER =
  /\{\{[^{}\n]{0,40}\}?|\{?\b(?:contact|variables)\.(?:(?!\b(?:contact|variables)\.)[^{}\n])*\}\}/g;
const CUSTOM_KEY = /^contact\.fields\.([a-z][a-z0-9_]{0,39})$/;
const VARIABLE_KEY = /^variables\.(\w{1,64})$/;

export const VARIABLE_NAME = /^\w{1,64}$/;

export const PLACEHOLDER_RULE = `a placeholder is ${WRITTEN_PLACEHOLDERS.join(', ')} or {{variables.<name>}}, each with or without a fallback as in {{contact.name|there}}`;

export interface PlaceholderValues {
  /** The phone number is null for a contact known only by user ID. */
  contact: Readonly<Record<ContactPlaceholder, string | null>> & { fields?: CustomValues | null };
  variables: Readonly<Record<string, string>>;
}

export class MissingVariable extends Error {
  readonly variable: string;

  constructor(variable: string) {
    super(`The variable ${variable} has no value.`);
    this.variable = variable;
  }
}

interface Placeholder {
  source: { contact: ContactPlaceholder } | { custom: string } | { variable: string };
  /** Text used if the value is missing or blank. */
  fallback: string;
}

function parsePlaceholder(inner: string): Placeholder | null {
  const [key = '', ...rest] = inner.split('|');
  const fallback = rest.join('|').trim();
  const variable = VARIABLE_KEY.exec(key.trim())?.[1];
  if (variable !== undefined) return { source: { variable }, fallback };
  const custom = CUSTOM_KEY.exec(key.trim())?.[1];
  if (custom !== undefined) return { source: { custom }, fallback };
  const contact = CONTACT_PLACEHOLDERS.find((field) => key.trim() === `contact.${field}`);
  return contact ? { source: { contact }, fallback } : null;
}

export function hasPlaceholders(text: string): boolean {
  return text.match(PLACEHOLDER) !== null;
}

/** The result includes placeholders with unmatched braces. */
export function findUnknownPlaceholders(text: string): string[] {
  const unknown = [...text.matchAll(PLACEHOLDER)].filter(([, inner = '']) => parsePlaceholder(inner) === null);
  const broken = text.replace(PLACEHOLDER, ' ').matchAll(BROKEN_PLACEHOLDER);
  return [...unknown, ...broken].map(([placeholder]) => placeholder.trim());
}

export function findVariables(text: string): string[] {
  const names = [...text.matchAll(PLACEHOLDER)].flatMap(([, inner = '']) => {
    const placeholder = parsePlaceholder(inner);
    return placeholder && 'variable' in placeholder.source && placeholder.fallback === ''
      ? [placeholder.source.variable]
      : [];
  });
  return [...new Set(names)];
}

/**
 * Placeholders within values are not expanded.
 * @throws {MissingVariable}
 */
export function fillText(text: string, values: PlaceholderValues): string {
  return fillWith(text, values, (value) => value);
}

function fillWith(text: string, values: PlaceholderValues, write: (value: string) => string): string {
  return text.replace(PLACEHOLDER, (original, inner: string) => {
    const placeholder = parsePlaceholder(inner);
    return placeholder ? write(resolveValue(placeholder, values)) : original;
  });
}

function resolveValue({ source, fallback }: Placeholder, { contact, variables }: PlaceholderValues): string {
  if (!('variable' in source)) {
    const contactValue =
      'custom' in source
        ? formatValue(findCustomValue(contact.fields, source.custom))
        : readContactValue(contact, source.contact);
    return contactValue.trim() === '' ? fallback : contactValue;
  }
  const value = Object.hasOwn(variables, source.variable) ? (variables[source.variable] as string) : null;
  if (value === null && fallback === '') throw new MissingVariable(source.variable);
  return value === null || value.trim() === '' ? fallback : value;
}

function readContactValue(contact: PlaceholderValues['contact'], name: ContactPlaceholder): string {
  if (name === 'language' || name === 'timeZone') return resolveLocale(contact)[name]?.value ?? '';
  return contact[name] ?? '';
}

function findCustomValue(fields: CustomValues | null | undefined, key: string): CustomValue | null {
  return fields && Object.hasOwn(fields, key) ? (fields[key] ?? null) : null;
}

/**
 * White space in values is collapsed, because Meta rejects parameters with line breaks, tabs or many spaces (error
 * 132018).
 * @throws {MissingVariable} As `fillText`.
 */
export function fillComponents(
  components: readonly TemplateComponent[],
  values: PlaceholderValues,
): TemplateComponent[] {
  return mapTexts(components, (text) => fillWith(text, values, (value) => value.replace(/\s+/g, ' ').trim()));
}

/** Returns whether a text with placeholders became empty, because Meta rejects empty parameters. */
export function hasEmptyText(components: readonly TemplateComponent[], filled: readonly TemplateComponent[]): boolean {
  const texts = listComponentTexts(components);
  return listComponentTexts(filled).some(
    ({ text }, index) => text.trim() === '' && hasPlaceholders(texts[index]?.text ?? ''),
  );
}

/**
 * Fills in sample values, to check whether the components fit a template. A text that starts with a placeholder may be
 * a link, so its sample value is a link.
 */
export function sampleComponents(components: readonly TemplateComponent[]): TemplateComponent[] {
  return mapTexts(components, (text) =>
    text.replace(/^\s*\{\{[^{}]*\}\}/, 'https://example.com/x').replace(PLACEHOLDER, 'x'),
  );
}

/** Lists the texts of components, each with a path such as `[0].parameters[1].text`. */
export function listComponentTexts(components: readonly TemplateComponent[]): { path: string; text: string }[] {
  const texts: { path: string; text: string }[] = [];
  mapTexts(components, (text, path) => {
    texts.push({ path, text });
    return text;
  });
  return texts;
}

/** Maps only texts that recipients read. */
function mapTexts(
  components: readonly TemplateComponent[],
  map: (text: string, path: string) => string,
): TemplateComponent[] {
  return mapComponents(components, '', map);
}

/** Also maps the components of carousel cards. */
function mapComponents(
  components: readonly TemplateComponent[],
  root: string,
  map: (text: string, path: string) => string,
): TemplateComponent[] {
  return components.map((component, position) => {
    const path = `${root}[${position}]`;
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

/** Skips `type` and `parameter_name`, because they describe a parameter rather than contain its value. */
function mapStrings<T extends object>(value: T, path: string, map: (text: string, path: string) => string): T {
  if (Array.isArray(value)) return value.map((each, index) => mapValue(each, `${path}[${index}]`, map)) as unknown as T;
  const entries = Object.entries(value).map(([key, each]) => {
    const entryPath = `${path}.${key}`;
    if (key === 'type' || key === 'parameter_name') return [key, each];
    return [key, mapValue(each, entryPath, map)];
  });
  return Object.fromEntries(entries) as T;
}

function mapValue(value: unknown, path: string, map: (text: string, path: string) => string): unknown {
  if (typeof value === 'string') return map(value, path);
  return typeof value === 'object' && value !== null ? mapStrings(value, path, map) : value;
}
