import { invalidParameter, MetaRefusal } from './meta-error.js';

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

const MESSAGE_KEYS = [
  'messaging_product',
  'recipient_type',
  'to',
  'recipient',
  'type',
  'context',
  'biz_opaque_callback_data',
];
const KEYS_BY_TYPE: Readonly<Record<string, readonly string[]>> = {
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
 * Checks a message as Meta would, and returns the recipient's digits or user ID.
 * @throws {MetaRefusal}
 */
export function checkMessage(body: unknown, templates: readonly StubTemplate[]): string {
  const message = requireObject(body, 'the body');
  if (message.messaging_product !== 'whatsapp') throw invalidParameter('The parameter messaging_product is required.');
  const type = requireText(message.type, 'type');
  const keys = KEYS_BY_TYPE[type];
  if (!keys) throw invalidParameter(`Param type must be one of {${Object.keys(KEYS_BY_TYPE).join(', ')}}`);
  expectKeys(message, [...MESSAGE_KEYS, type], 'the body');
  if (message.recipient_type !== undefined && message.recipient_type !== 'individual') {
    throw invalidParameter('Param recipient_type must be individual');
  }
  const to = requireText(message.to ?? message.recipient, 'to');
  if (message.to === undefined) return checkRecipient(message, to, templates);
  if (!/^\+?[1-9]\d{6,14}$/.test(to)) throw new MetaRefusal(131009, 'Parameter value is not valid', { details: 'to' });
  if (message.biz_opaque_callback_data !== undefined) {
    checkLength(
      requireText(message.biz_opaque_callback_data, 'biz_opaque_callback_data'),
      512,
      'biz_opaque_callback_data',
    );
  }
  if (message.context !== undefined)
    requireText(requireObject(message.context, 'context').message_id, 'context.message_id');
  if (type === 'contacts') {
    for (const contact of requireList(message.contacts, 'contacts')) checkCard(requireObject(contact, 'a contact'));
    return to.replace('+', '');
  }
  const node = requireObject(message[type], type);
  expectKeys(node, keys, type);
  if (type === 'text') checkText(node);
  else if (type === 'template') checkTemplate(node, templates);
  else if (type === 'interactive') checkInteractive(node);
  else if (type === 'reaction') requireText(node.message_id, 'reaction.message_id');
  else if (type === 'location') checkLocation(node);
  else checkMedia(node, type);
  return to.replace('+', '');
}

/** Refuses authentication templates to recipients without a number, as Meta does. */
function checkRecipient(message: Json, recipient: string, templates: readonly StubTemplate[]): string {
  if (!/^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$/.test(recipient)) {
    throw new MetaRefusal(131009, 'Parameter value is not valid', { details: 'recipient' });
  }
  const { name } = (message.template ?? {}) as { name?: unknown };
  if (templates.some((template) => template.name === name && template.category === 'AUTHENTICATION')) {
    throw new MetaRefusal(131062, 'Authentication templates need a phone number');
  }
  const { recipient: _recipient, ...otherFields } = message;
  checkMessage({ ...otherFields, to: '+15005550111' }, templates);
  return recipient;
}

function checkText(node: Json): void {
  checkLength(requireText(node.body, 'text.body'), 4096, 'text.body');
  if (node.preview_url !== undefined && typeof node.preview_url !== 'boolean') {
    throw invalidParameter('Param text.preview_url must be a boolean');
  }
}

function checkCard(card: Json): void {
  const { formatted_name: formattedName, ...parts } = requireObject(card.name, 'contact.name');
  requireText(formattedName, 'contact.name.formatted_name');
  if (Object.keys(parts).length === 0)
    throw invalidParameter('The name of a contact needs a part beside formatted_name.');
}

function checkLocation({ latitude, longitude }: Json): void {
  for (const degrees of [latitude, longitude]) {
    if (typeof degrees !== 'number') throw invalidParameter('Params location.latitude and longitude must be numbers');
  }
}

function checkInteractive({ type, body, action }: Json): void {
  const { buttons, sections, name, parameters } = requireObject(action, 'interactive.action');
  if (body !== undefined)
    checkLength(requireText(requireObject(body, 'interactive.body').text, 'body.text'), 4096, 'body.text');
  if (type === 'button' && requireList(buttons, 'action.buttons').length > 3)
    throw invalidParameter('Too many buttons.');
  if (type === 'list') requireList(sections, 'action.sections');
  const actionNames: Json = {
    cta_url: 'cta_url',
    flow: 'flow',
    location_request_message: 'send_location',
    request_contact_info: 'request_contact_info',
  };
  const expectedName = actionNames[requireText(type, 'interactive.type')];
  if (expectedName !== undefined && name !== expectedName)
    throw invalidParameter(`Param action.name must be ${expectedName}.`);
  if (type === 'cta_url' || type === 'flow') requireObject(parameters, 'action.parameters');
}

function checkMedia(node: Json, type: string): void {
  if ((node.id === undefined) === (node.link === undefined)) throw invalidParameter(`${type} needs one of id and link`);
  if (node.link !== undefined && !/^https?:\/\/[^\s/]+/.test(requireText(node.link, `${type}.link`))) {
    throw invalidParameter(`Param ${type}.link is not a valid URI.`);
  }
  if (node.caption !== undefined) checkLength(requireText(node.caption, `${type}.caption`), 1024, `${type}.caption`);
  if (node.filename !== undefined) checkLength(requireText(node.filename, `${type}.filename`), 240, `${type}.filename`);
}

function checkTemplate(node: Json, templates: readonly StubTemplate[]): void {
  const name = requireText(node.name, 'template.name');
  const language = requireObject(node.language, 'template.language');
  expectKeys(language, ['code', 'policy'], 'template.language');
  const code = requireText(language.code, 'template.language.code');
  const template = templates.find((candidate) => candidate.name === name && candidate.language === code);
  if (template?.status === 'PAUSED') throw new MetaRefusal(132015, 'Template is paused');
  if (template?.status !== 'APPROVED') {
    const details = `template name (${name}) does not exist in ${code}`;
    throw new MetaRefusal(132001, 'Template name does not exist in the translation', { status: 404, details });
  }
  const sentComponents = requireList(node.components ?? [], 'template.components').map((component) =>
    requireObject(component, 'a component'),
  );
  for (const kind of ['header', 'body']) {
    const defined = template.components.find((component) => String(component.type).toLowerCase() === kind);
    const matching = sentComponents.filter((component) => String(component.type).toLowerCase() === kind);
    const parameters = matching.flatMap((component) => requireList(component.parameters ?? [], `${kind}.parameters`));
    checkParameters(kind, defined, parameters, template.parameter_format === 'NAMED');
  }
}

function checkParameters(
  kind: string,
  defined: Json | undefined,
  parameters: readonly unknown[],
  isNamed: boolean,
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
  for (const value of parameters) {
    const parameter = requireObject(value, 'a parameter');
    const type = requireText(parameter.type, 'parameter.type');
    const mismatch = new MetaRefusal(132012, 'Parameter format does not match format in the created template');
    if (type !== format.toLowerCase() && format !== 'TEXT') throw mismatch;
    if (isNamed && !keys.includes(String(parameter.parameter_name))) throw mismatch;
    if (type === 'text') length += requireText(parameter.text, 'parameter.text').length;
  }
  if (kind === 'body' && length > 1024 + text.length) throw new MetaRefusal(132005, 'Translated text too long');
}

function expectKeys(value: Json, keys: readonly string[], path: string): void {
  const unexpectedKey = Object.keys(value).find((key) => !keys.includes(key));
  if (unexpectedKey !== undefined) throw invalidParameter(`Unexpected key "${unexpectedKey}" on param "${path}".`);
}

function checkLength(text: string, maxLength: number, path: string): void {
  if ([...text].length > maxLength)
    throw invalidParameter(`Param ${path} must be at most ${maxLength} characters long.`);
}

function requireObject(value: unknown, path: string): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  throw invalidParameter(`The parameter ${path} is required.`);
}

function requireList(value: unknown, path: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw invalidParameter(`Param ${path} must be an array.`);
}

function requireText(value: unknown, path: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw invalidParameter(`The parameter ${path} is required.`);
}
