import type { ButtonInput, Report } from './input.js';
import { findCodeSampleProblem, findLinkSampleProblem } from './samples.js';
import { findBrokenLineRule, findBrokenUrlRule, joinWithOr } from './texts.js';

/** Limits of Meta's Cloud API ("Template components", "Coupon code templates", "Carousel templates"). */
const TEXT_LIMIT = 25;
const CODE_LIMIT = 20;
const MAX_BUTTONS = 10;
const MAX_CARD_BUTTONS = 2;
const MAX_BY_TYPE: Readonly<Record<string, number>> = {
  URL: 2,
  PHONE_NUMBER: 1,
  COPY_CODE: 1,
  FLOW: 1,
  VOICE_CALL: 1,
};
/** A product button must be the only button and have the text that Meta prescribes. */
const SOLE_BUTTON_TEXTS: Readonly<Record<string, string>> = { CATALOG: 'View catalog', MPM: 'View items', SPM: 'View' };

export const BUTTON_TYPES = [
  'QUICK_REPLY',
  'URL',
  'PHONE_NUMBER',
  'COPY_CODE',
  'FLOW',
  'CATALOG',
  'MPM',
  'SPM',
  'VOICE_CALL',
];
const CARD_BUTTON_TYPES = ['QUICK_REPLY', 'URL', 'PHONE_NUMBER', 'SPM'];
const FLOW_KEYS = ['flow_id', 'flow_name', 'flow_json'];

export function checkButtons(
  inputs: readonly ButtonInput[],
  path: string,
  report: Report,
  owner: 'template' | 'card' = 'template',
): ButtonInput[] {
  const max = owner === 'card' ? MAX_CARD_BUTTONS : MAX_BUTTONS;
  const types = owner === 'card' ? CARD_BUTTON_TYPES : BUTTON_TYPES;
  if (inputs.length === 0 || inputs.length > max) {
    report(path, `must be an array of 1 to ${max} buttons, such as [{"type": "QUICK_REPLY", "text": "Yes"}]`);
  }
  const buttons = inputs.map((button, index) => checkButton(button, types, `${path}[${index}]`, report));
  checkCombination(buttons, path, report);
  return buttons;
}

function checkCombination(buttons: readonly ButtonInput[], path: string, report: Report): void {
  const texts = buttons.map(({ text }) => text?.trim().normalize('NFC').toUpperCase());
  for (const [index, { type }] of buttons.entries()) {
    const max = MAX_BY_TYPE[type] ?? MAX_BUTTONS;
    const before = buttons.slice(0, index);
    if (texts[index] && texts.indexOf(texts[index]) < index) {
      report(`${path}[${index}].text`, 'must differ from the texts of the other buttons by more than case');
    }
    if (before.filter((each) => each.type === type).length >= max) {
      report(`${path}[${index}]`, `exceeds the limit of ${max} for buttons of type ${type}`);
    }
    if (SOLE_BUTTON_TEXTS[type] !== undefined && buttons.length > 1) {
      report(`${path}[${index}]`, `must be the only button, because its type is ${type}`);
    }
  }
  const switches = buttons.filter(
    ({ type }, index) => index > 0 && isQuickReply(type) !== isQuickReply(buttons[index - 1]?.type),
  );
  if (switches.length > 1) report(path, 'must have all QUICK_REPLY buttons next to each other');
}

function checkButton(button: ButtonInput, types: readonly string[], path: string, report: Report): ButtonInput {
  const type = button.type.toUpperCase();
  const { url, phone_number, example, text: inputText, ...more } = button;
  if (!types.includes(type)) report(`${path}.type`, `must be ${joinWithOr(types)}`);
  const buttonText = inputText ?? SOLE_BUTTON_TEXTS[type];
  const text = type === 'COPY_CODE' && buttonText === undefined ? {} : { text: buttonText };
  if ('text' in text) report(`${path}.text`, findBrokenLineRule(text.text, TEXT_LIMIT, 0));
  const normalized: ButtonInput = { ...more, type, ...text, ...(example !== undefined && { example }) };
  if (type === 'URL') {
    const rule = findBrokenUrlRule(url);
    report(rule === null ? `${path}.example` : `${path}.url`, rule ?? findLinkSampleProblem(url, example));
    return { ...normalized, ...(url !== undefined && { url }) };
  }
  if (type === 'COPY_CODE') report(`${path}.example`, findCodeSampleProblem(example, CODE_LIMIT));
  if (type === 'FLOW') checkFlow(button, path, report);
  if (type !== 'PHONE_NUMBER') return normalized;
  // Meta accepts only digits and a plus sign in a phone number.
  const phoneNumber = phone_number?.startsWith('+') ? phone_number.replace(/\(0\)|[\s().\-/]/g, '') : phone_number;
  if (!/^\+?\d{7,15}$/.test(phoneNumber ?? '')) {
    report(`${path}.phone_number`, 'must be a phone number of 7 to 15 digits');
  }
  return { ...normalized, ...(phoneNumber !== undefined && { phone_number: phoneNumber }) };
}

/** A Flow button must identify its Flow by exactly one of three fields. The contents of the Flow are not checked. */
function checkFlow(button: ButtonInput, path: string, report: Report): void {
  const keys = FLOW_KEYS.filter((key) => button[key] !== undefined);
  const isIdentified = keys.length === 1 && keys.every((key) => typeof button[key] === 'string' && button[key] !== '');
  if (!isIdentified) report(path, 'must have exactly one of flow_id, flow_name and flow_json, as a text');
  const { flow_action: action } = button;
  if (action !== undefined && action !== 'navigate' && action !== 'data_exchange') {
    report(`${path}.flow_action`, 'must be navigate or data_exchange');
  }
}

function isQuickReply(type: string | undefined): boolean {
  return type === 'QUICK_REPLY';
}
