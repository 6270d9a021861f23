import { invalidParameter, MetaRefusal } from './meta-error.js';

/** A template as the stub's business account holds it. */
export interface StubTemplate {
  id: string;
  name: string;
  language: string;
  status: string;
  category: string;
  parameter_format?: 'NAMED' | 'POSITIONAL';
  components: readonly Record<string, unknown>[];
}

type Json = Record<string, unknown>;

const HEAD_KEYS = [
  'messaging_product',
  'recipient_type',
  'to',
  'recipient',
  'type',
  'context',
  'biz_opaque_callback_data',
];
const NODE_KEYS: Readonly<Record<string, readonly string[]>> = {
  text: ['body', 'preview_url'],
  image: ['id', 'link', 'caption'],
  document: ['id', 'link', 'caption', 'filename'],
  video: ['id', 'link', 'caption'],
  audio: ['id', 'link', 'voice'],
  sticker: ['id', 'link'],
  interactive: ['type', 'header', 'body', 'footer', 'action'],
  reaction: ['message_id', 'emoji'],
  location: ['latitude', 'longitude', 'name', 'address'],
  contacts: [],
  template: ['name', 'language', 'components'],
};

/**
 * Checks the body of `POST /{phone-number-id}/messages` as Meta does: fields, types, lengths, and a template's
 * parameters against the template.
 * @returns the recipient's digits, or its user id
 * @throws {MetaRefusal}
 */
export function checkMessage(body: unknown, templates: readonly StubTemplate[]): string {
  const message = objectAt(body, 'the body');
  if (message.messaging_product !== 'whatsapp') throw invalidParameter('The parameter messaging_product is required.');
  const type = textAt(message.type, 'type');
  const keys = NODE_KEYS[type];
  if (!keys) throw invalidParameter(`Param type must be one of {${Object.keys(NODE_KEYS).join(', ')}}`);
  expectKeys(message, [...HEAD_KEYS, type], 'the body');
  if (message.recipient_type !== undefined && message.recipient_type !== 'individual') {
    throw invalidParameter('Param recipient_type must be individual');
  }
  const to = textAt(message.to ?? message.recipient, 'to');
  if (message.to === undefined) return checkRecipient(message, to, templates);
  if (!/^\+?[1-9]\d{6,14}$/.test(to)) throw new MetaRefusal(131009, 'Parameter value is not valid', { details: 'to' });
  if (message.biz_opaque_callback_data !== undefined) {
    limited(textAt(message.biz_opaque_callback_data, 'biz_opaque_callback_data'), 512, 'biz_opaque_callback_data');
  }
  if (message.context !== undefined) textAt(objectAt(message.context, 'context').message_id, 'context.message_id');
  if (type === 'contacts') {
    for (const each of listAt(message.contacts, 'contacts')) checkCard(objectAt(each, 'a contact'));
    return to.replace('+', '');
  }
  const node = objectAt(message[type], type);
  expectKeys(node, keys, type);
  if (type === 'text') checkText(node);
  else if (type === 'template') checkTemplate(node, templates);
  else if (type === 'interactive') checkInteractive(node);
  else if (type === 'reaction') textAt(node.message_id, 'reaction.message_id');
  else if (type === 'location') checkLocation(node);
  else checkMedia(node, type);
  return to.replace('+', '');
}

/** A person without a number, who gets no codes. */
function checkRecipient(message: Json, recipient: string, templates: readonly StubTemplate[]): string {
  if (!/^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$/.test(recipient)) {
    throw new MetaRefusal(131009, 'Parameter value is not valid', { details: 'recipient' });
  }
  const { name } = (message.template ?? {}) as { name?: unknown };
  if (templates.some((each) => each.name === name && each.category === 'AUTHENTICATION')) {
    throw new MetaRefusal(131062, 'Authentication templates need a phone number');
  }
  const { recipient: _recipient, ...rest } = message;
  checkMessage({ ...rest, to: '+15005550111' }, templates);
  return recipient;
}

function checkText(node: Json): void {
  limited(textAt(node.body, 'text.body'), 4096, 'text.body');
  if (node.preview_url !== undefined && typeof node.preview_url !== 'boolean') {
    throw invalidParameter('Param text.preview_url must be a boolean');
  }
}

function checkCard(card: Json): void {
  const { formatted_name: whole, ...parts } = objectAt(card.name, 'contact.name');
  textAt(whole, 'contact.name.formatted_name');
  if (Object.keys(parts).length === 0)
    throw invalidParameter('The name of a contact needs a part beside formatted_name.');
}

function checkLocation({ latitude, longitude }: Json): void {
  for (const degrees of [latitude, longitude]) {
    if (typeof degrees !== 'number') throw invalidParameter('Params location.latitude and longitude must be numbers');
  }
}

function checkInteractive({ type, body, action }: Json): void {
  const { buttons, sections, name, parameters } = objectAt(action, 'interactive.action');
  if (body !== undefined) limited(textAt(objectAt(body, 'interactive.body').text, 'body.text'), 4096, 'body.text');
  if (type === 'button' && listAt(buttons, 'action.buttons').length > 3) throw invalidParameter('Too many buttons.');
  if (type === 'list') listAt(sections, 'action.sections');
  const needed: Json = {
    cta_url: 'cta_url',
    flow: 'flow',
    location_request_message: 'send_location',
    request_contact_info: 'request_contact_info',
  };
  const wanted = needed[textAt(type, 'interactive.type')];
  if (wanted !== undefined && name !== wanted) throw invalidParameter(`Param action.name must be ${wanted}.`);
  if (type === 'cta_url' || type === 'flow') objectAt(parameters, 'action.parameters');
}

function checkMedia(node: Json, type: string): void {
  if ((node.id === undefined) === (node.link === undefined)) throw invalidParameter(`${type} needs one of id and link`);
  if (node.link !== undefined && !/^https?:\/\/[^\s/]+/.test(textAt(node.link, `${type}.link`))) {
    throw invalidParameter(`Param ${type}.link is not a valid URI.`);
  }
  if (node.caption !== undefined) limited(textAt(node.caption, `${type}.caption`), 1024, `${type}.caption`);
  if (node.filename !== undefined) limited(textAt(node.filename, `${type}.filename`), 240, `${type}.filename`);
}

function checkTemplate(node: Json, templates: readonly StubTemplate[]): void {
  const name = textAt(node.name, 'template.name');
  const language = objectAt(node.language, 'template.language');
  expectKeys(language, ['code', 'policy'], 'template.language');
  const code = textAt(language.code, 'template.language.code');
  const template = templates.find((each) => each.name === name && each.language === code);
  if (template?.status === 'PAUSED') throw new MetaRefusal(132015, 'Template is paused');
  if (template?.status !== 'APPROVED') {
    const details = `template name (${name}) does not exist in ${code}`;
    throw new MetaRefusal(132001, 'Template name does not exist in the translation', { status: 404, details });
  }
  const given = listAt(node.components ?? [], 'template.components').map((each) => objectAt(each, 'a component'));
  for (const kind of ['header', 'body']) {
    const defined = template.components.find((each) => String(each.type).toLowerCase() === kind);
    const sent = given.filter((each) => String(each.type).toLowerCase() === kind);
    const parameters = sent.flatMap((each) => listAt(each.parameters ?? [], `${kind}.parameters`));
    checkParameters(kind, defined, parameters, template.parameter_format === 'NAMED');
  }
}

function checkParameters(
  kind: string,
  defined: Json | undefined,
  parameters: readonly unknown[],
  named: boolean,
): void {
  const text = String(defined?.text ?? '');
  const format = String(defined?.format ?? 'TEXT');
  const keys = [...new Set([...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, key]) => key as string))];
  const expected = format === 'TEXT' ? keys.length : 1;
  if (parameters.length !== expected) {
    const details = `${kind}: number of localizable_params (${parameters.length}) does not match the expected number of params (${expected})`;
    throw new MetaRefusal(132000, 'Number of parameters does not match the expected number of params', { details });
  }
  let length = text.length;
  for (const each of parameters) {
    const parameter = objectAt(each, 'a parameter');
    const type = textAt(parameter.type, 'parameter.type');
    const mismatch = new MetaRefusal(132012, 'Parameter format does not match format in the created template');
    if (type !== format.toLowerCase() && format !== 'TEXT') throw mismatch;
    if (named && !keys.includes(String(parameter.parameter_name))) throw mismatch;
    if (type === 'text') length += textAt(parameter.text, 'parameter.text').length;
  }
  if (kind === 'body' && length > 1024 + text.length) throw new MetaRefusal(132005, 'Translated text too long');
}

function expectKeys(value: Json, keys: readonly string[], where: string): void {
  const strange = Object.keys(value).find((key) => !keys.includes(key));
  if (strange !== undefined) throw invalidParameter(`Unexpected key "${strange}" on param "${where}".`);
}

function limited(text: string, most: number, where: string): void {
  if ([...text].length > most) throw invalidParameter(`Param ${where} must be at most ${most} characters long.`);
}

function objectAt(value: unknown, where: string): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  throw invalidParameter(`The parameter ${where} is required.`);
}

function listAt(value: unknown, where: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw invalidParameter(`Param ${where} must be an array.`);
}

function textAt(value: unknown, where: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw invalidParameter(`The parameter ${where} is required.`);
}
