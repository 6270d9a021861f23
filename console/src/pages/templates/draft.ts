import { isPositionKey, listPlaceholderKeys } from '../../../../src/carriers/template-placeholders.js';
import { checkDraft } from '../../../../src/features/templates/draft/draft.js';
import type { ButtonInput, DraftComponentInput } from '../../../../src/features/templates/draft/input.js';
import { AppError } from '../../../../src/platform/errors/app-error.js';
import type { TemplateDraft } from '../../api/templates.js';
import { asText, type Components, findComponent } from '../../shared/templates/template-view.js';
import { text } from '../../text/en.js';
import type { ButtonFields, CardFields, DraftFields } from './draft-fields.js';

const FILE_FORMATS: readonly string[] = ['IMAGE', 'VIDEO', 'DOCUMENT'];
/** Types of buttons whose label may be empty, in which case no label is sent. */
const OPTIONAL_LABEL_TYPES: readonly string[] = ['CATALOG', 'MPM', 'SPM', 'COPY_CODE'];
/** Types of components that the form edits; other components are sent unchanged. */
const EDITED_TYPES: readonly string[] = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS', 'LIMITED_TIME_OFFER', 'CAROUSEL'];

/** Lists texts that may contain parameters, with the prefix of their slots. */
function listParameterTexts(fields: DraftFields): [prefix: string, text: string][] {
  const { category, headerFormat, headerText, body, buttons, layout, cards } = fields;
  if (category === 'AUTHENTICATION') return [];
  const listLinkTexts = (linkButtons: readonly ButtonFields[], root: string) =>
    linkButtons.flatMap(({ type, url }, index): [string, string][] =>
      type === 'URL' ? [[`${root}button${index}`, url]] : [],
    );
  if (layout === 'CAROUSEL') {
    const cardTexts = cards.flatMap((card, index): [string, string][] => [
      [`card${index}.body`, card.body],
      ...listLinkTexts(card.buttons, `card${index}.`),
    ]);
    return [['body', body], ...cardTexts];
  }
  return [
    ...(headerFormat === 'TEXT' && layout === 'PLAIN' ? [['header', headerText] as [string, string]] : []),
    ['body', body],
    ...listLinkTexts(buttons, ''),
  ];
}

export interface SampleSlot {
  id: string;
  prefix: string;
  key: string;
}

export function listSampleSlots(fields: DraftFields): SampleSlot[] {
  const codeButtons = fields.category === 'AUTHENTICATION' || fields.layout === 'CAROUSEL' ? [] : fields.buttons;
  return [
    ...listParameterTexts(fields).flatMap(([prefix, text]) =>
      listPlaceholderKeys(text).map((key) => ({ id: `${prefix}.${key}`, prefix, key })),
    ),
    ...codeButtons.flatMap(({ type }, index) => {
      const prefix = `button${index}`;
      return type === 'COPY_CODE' ? [{ id: prefix, prefix, key: '' }] : [];
    }),
  ];
}

export function buildDraft(fields: DraftFields): TemplateDraft {
  const { name, language, category } = fields;
  const components = category === 'AUTHENTICATION' ? buildAuthentication(fields) : buildComponents(fields);
  return { name, language, category, components };
}

function buildAuthentication(fields: DraftFields): DraftComponentInput[] {
  const { advice, expires, otpType: otp_type, packageName, signatureHash, termsAccepted } = fields;
  const app = { package_name: packageName, signature_hash: signatureHash };
  const button = {
    ...{ type: 'OTP', otp_type },
    ...(otp_type !== 'COPY_CODE' && { supported_apps: [app] }),
    ...(otp_type === 'ZERO_TAP' && { zero_tap_terms_accepted: termsAccepted }),
  };
  return [
    { type: 'BODY', ...(advice && { add_security_recommendation: true }) },
    { type: 'FOOTER', code_expiration_minutes: expires },
    { type: 'BUTTONS', buttons: [button] },
  ];
}

function buildComponents(fields: DraftFields): DraftComponentInput[] {
  const { layout, headerText, headerExample, body, footer, buttons, original } = fields;
  const format = layout === 'CAROUSEL' ? 'NONE' : fields.headerFormat;
  const components: DraftComponentInput[] = [];
  const add = (component: DraftComponentInput) =>
    components.push({ ...pickOtherFields(original, component.type), ...component });
  if (format === 'TEXT')
    add({ type: 'HEADER', format, text: headerText, ...toTextExamples(fields, 'header', headerText) });
  else if (format !== 'NONE') add({ type: 'HEADER', format, ...toFileExample(format, headerExample) });
  add({ type: 'BODY', text: body, ...toTextExamples(fields, 'body', body) });
  if (layout === 'OFFER') {
    const limited_time_offer = { text: fields.offerText, has_expiration: fields.offerEnds };
    add({ type: 'LIMITED_TIME_OFFER', limited_time_offer });
  }
  if (layout === 'PLAIN' && footer !== '') add({ type: 'FOOTER', text: footer });
  if (layout !== 'CAROUSEL' && buttons.length > 0) {
    add({ type: 'BUTTONS', buttons: buttons.map((button, index) => buildButton(fields, button, `button${index}`)) });
  }
  if (layout === 'CAROUSEL') {
    add({ type: 'CAROUSEL', cards: fields.cards.map((card, index) => buildCard(fields, card, `card${index}.`)) });
  }
  const unedited = original.filter(({ type }) => !EDITED_TYPES.includes(asText(type).toUpperCase()));
  return [...components, ...(unedited as unknown as DraftComponentInput[])];
}

function buildCard(fields: DraftFields, { example, body, buttons, original }: CardFields, root: string) {
  const { cardFormat: format } = fields;
  const components: DraftComponentInput[] = [{ type: 'HEADER', format, ...toFileExample(format, example) }];
  if (body !== '') components.push({ type: 'BODY', text: body, ...toTextExamples(fields, `${root}body`, body) });
  if (buttons.length > 0) {
    const cardButtons = buttons.map((button, index) => buildButton(fields, button, `${root}button${index}`));
    components.push({ type: 'BUTTONS', buttons: cardButtons });
  }
  return {
    components: components.map((component) => ({ ...pickOtherFields(original, component.type), ...component })),
  };
}

function pickOtherFields(original: Components, type: string): object {
  const { text, format, example, buttons, cards, limited_time_offer, ...rest } = findComponent(original, type) ?? {};
  return rest;
}

function toFileExample(format: string, handle: string): { example?: { header_handle: string[] } } {
  return FILE_FORMATS.includes(format) && handle.trim() !== '' ? { example: { header_handle: [handle.trim()] } } : {};
}

function buildButton({ examples }: DraftFields, button: ButtonFields, prefix: string): ButtonInput {
  const { type, text, url, phone, flow, rest } = button;
  const base = { ...rest, type };
  if (type === 'URL') {
    const [key = ''] = listPlaceholderKeys(url);
    const example = key && examples[`${prefix}.${key}`]?.trim();
    // Meta requires the complete URL as the example.
    return { ...base, text, url, ...(example && { example: [url.replace(/\{\{[^{}]*\}\}/, () => example)] }) };
  }
  if (type === 'PHONE_NUMBER') return { ...base, text, phone_number: phone };
  if (type === 'FLOW') return { ...base, text, ...(flow !== '' && { flow_id: flow }) };
  const code = type === 'COPY_CODE' && examples[prefix]?.trim();
  return {
    ...base,
    ...((text !== '' || !OPTIONAL_LABEL_TYPES.includes(type)) && { text }),
    ...(code && { example: code }),
  };
}

/** Returns examples only if every placeholder has one, because Meta accepts all examples or none. */
function toTextExamples(
  { examples }: DraftFields,
  prefix: string,
  text: string,
): { example?: Record<string, unknown> } {
  const part = prefix.endsWith('header') ? 'header' : 'body';
  const keys = listPlaceholderKeys(text);
  const values = keys.map((key) => examples[`${prefix}.${key}`]?.trim() ?? '');
  if (keys.length === 0 || values.includes('')) return {};
  if (keys.some((key) => !isPositionKey(key))) {
    const namedParams = keys.map((key, index) => ({ param_name: key, example: values[index] }));
    return { example: { [`${part}_text_named_params`]: namedParams } };
  }
  const ordered = keys
    .map((key, index) => ({ position: Number(key), value: values[index] as string }))
    .sort((a, b) => a.position - b.position)
    .map(({ value }) => value);
  return { example: part === 'header' ? { header_text: ordered } : { body_text: [ordered] } };
}

const NAME = /^[a-z0-9_]{1,512}$/;

/** Applies the server's rules, and returns the problems keyed by the server's field names. */
export function validateDraft(draft: TemplateDraft): Record<string, string> {
  const problems: Record<string, string> = {};
  if (!NAME.test(draft.name))
    problems.name = text.errors.toSentence('must be 1 to 512 lower-case letters, digits and underscores');
  try {
    checkDraft(draft);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    for (const { field, rule } of error.fields) problems[field] ??= text.errors.toSentence(rule);
  }
  return problems;
}
