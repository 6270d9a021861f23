import { isPosition, placeholderKeys } from '../../../../src/carriers/template-placeholders.js';
import { checkDraft } from '../../../../src/features/templates/draft.js';
import type { DraftComponentInput } from '../../../../src/features/templates/draft-input.js';
import { AppError } from '../../../../src/platform/errors/app-error.js';
import type { Template, TemplateDraft } from '../../api/templates.js';
import { examplesOf, readTemplate } from '../../parts/templates/template-parts.js';
import { text } from '../../text/en.js';

export type ButtonType = 'QUICK_REPLY' | 'URL' | 'PHONE_NUMBER' | 'COPY_CODE';

export interface ButtonFields {
  /** Only for React. */
  key: number;
  type: ButtonType;
  text: string;
  url: string;
  phone: string;
}

/** What the form of a template holds. */
export interface DraftFields {
  name: string;
  language: string;
  category: 'MARKETING' | 'UTILITY' | 'AUTHENTICATION';
  headerFormat: 'NONE' | 'TEXT' | 'IMAGE' | 'VIDEO' | 'DOCUMENT' | 'LOCATION';
  headerText: string;
  body: string;
  footer: string;
  buttons: ButtonFields[];
  /** By slot: `body.1`, `header.1`, `button0.1`. */
  examples: Record<string, string>;
  /** Of AUTHENTICATION alone. */
  advice: boolean;
  expires: number;
}

export const EMPTY: DraftFields = {
  name: '',
  language: 'en_US',
  category: 'UTILITY',
  headerFormat: 'NONE',
  headerText: '',
  body: '',
  footer: '',
  buttons: [],
  examples: {},
  advice: true,
  expires: 10,
};

let lastKey = 0;
export function newButton(fields: Partial<ButtonFields> = {}): ButtonFields {
  lastKey += 1;
  return { key: lastKey, type: 'QUICK_REPLY', text: '', url: '', phone: '', ...fields };
}

const FORMATS: readonly string[] = ['TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION'];
const BUTTON_TYPES: readonly string[] = ['QUICK_REPLY', 'URL', 'PHONE_NUMBER', 'COPY_CODE'];

const PARTS: readonly string[] = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS'];

/** Whether the form can show all that a template has: what it cannot show it would lose. */
export function isShownWhole({ category, components }: Template): boolean {
  const { header, buttons } = readTemplate(components);
  return (
    category !== 'AUTHENTICATION' &&
    components.every((each) => PARTS.includes(String((each as { type?: unknown }).type).toUpperCase())) &&
    (header === null || FORMATS.includes(header.format)) &&
    buttons.every(({ type }) => BUTTON_TYPES.includes(type))
  );
}

/** The form of a template that is there. */
export function fieldsOf({ name, language, category, components }: Template): DraftFields {
  const { header, body, footer, buttons } = readTemplate(components);
  return {
    ...EMPTY,
    name,
    language,
    category: category as DraftFields['category'],
    headerFormat: header && FORMATS.includes(header.format) ? (header.format as DraftFields['headerFormat']) : 'NONE',
    headerText: header?.text ?? '',
    body,
    footer,
    buttons: buttons
      .filter(({ type }) => BUTTON_TYPES.includes(type))
      .map(({ type, text, url, phoneNumber }) =>
        newButton({ type: type as ButtonType, text, url, phone: phoneNumber }),
      ),
    examples: examplesOf(components),
  };
}

/** The texts of a form that may hold parameters, by the prefix of their slots. */
function textsOf({ category, headerFormat, headerText, body, buttons }: DraftFields): [prefix: string, text: string][] {
  if (category === 'AUTHENTICATION') return [];
  return [
    ...(headerFormat === 'TEXT' ? [['header', headerText] as [string, string]] : []),
    ['body', body],
    ...buttons.flatMap(({ type, url }, index) => (type === 'URL' ? [[`button${index}`, url] as [string, string]] : [])),
  ];
}

/** The slots of a form, which want an example each. */
export function slotsOfFields(fields: DraftFields): { id: string; prefix: string; key: string }[] {
  return textsOf(fields).flatMap(([prefix, text]) =>
    placeholderKeys(text).map((key) => ({ id: `${prefix}.${key}`, prefix, key })),
  );
}

/** What is handed in. */
export function draftOf(fields: DraftFields): TemplateDraft {
  const { name, language, category } = fields;
  const components = category === 'AUTHENTICATION' ? authentication(fields) : ordinary(fields);
  return { name, language, category, components };
}

function authentication({ advice, expires }: DraftFields): DraftComponentInput[] {
  return [
    { type: 'BODY', ...(advice && { add_security_recommendation: true }) },
    { type: 'FOOTER', code_expiration_minutes: expires },
    { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] },
  ];
}

function ordinary(fields: DraftFields): DraftComponentInput[] {
  const { headerFormat: format, headerText, body, footer, buttons } = fields;
  const components: DraftComponentInput[] = [];
  if (format === 'TEXT') {
    components.push({ type: 'HEADER', format, text: headerText, ...exampleOf(fields, 'header', headerText) });
  } else if (format !== 'NONE') components.push({ type: 'HEADER', format });
  components.push({ type: 'BODY', text: body, ...exampleOf(fields, 'body', body) });
  if (footer !== '') components.push({ type: 'FOOTER', text: footer });
  if (buttons.length > 0) {
    components.push({ type: 'BUTTONS', buttons: buttons.map((button, index) => buttonOf(fields, button, index)) });
  }
  return components;
}

function buttonOf({ examples }: DraftFields, { type, text, url, phone }: ButtonFields, index: number) {
  if (type === 'URL') {
    const [key = ''] = placeholderKeys(url);
    const example = key && examples[`button${index}.${key}`]?.trim();
    // Meta wants to see the whole link.
    return { type, text, url, ...(example && { example: [url.replace(/\{\{.*\}\}/, () => example)] }) };
  }
  if (type === 'PHONE_NUMBER') return { type, text, phone_number: phone };
  if (type === 'COPY_CODE') return { type, ...(text !== '' && { text }) };
  return { type, text };
}

/** Examples in Meta's form; none where one is missing, for Meta wants all. */
function exampleOf({ examples }: DraftFields, part: 'header' | 'body', text: string) {
  const keys = placeholderKeys(text);
  const given = keys.map((key) => examples[`${part}.${key}`]?.trim() ?? '');
  if (keys.length === 0 || given.includes('')) return {};
  if (keys.some((key) => !isPosition(key))) {
    const named = keys.map((key, index) => ({ param_name: key, example: given[index] }));
    return { example: { [`${part}_text_named_params`]: named } };
  }
  const ordered = keys
    .map((key, index) => ({ place: Number(key), value: given[index] as string }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value);
  return { example: part === 'header' ? { header_text: ordered } : { body_text: [ordered] } };
}

const NAME = /^[a-z0-9_]{1,512}$/;

/** The rules that a draft breaks, by field as the server names it: the very rules by which the server refuses. */
export function problemsOfDraft(draft: TemplateDraft): Record<string, string> {
  const problems: Record<string, string> = {};
  if (!NAME.test(draft.name))
    problems.name = text.errors.ofField('must be 1 to 512 lower-case letters, digits and underscores');
  try {
    checkDraft(draft);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    for (const { field, rule } of error.fields) problems[field] ??= text.errors.ofField(rule);
  }
  return problems;
}
