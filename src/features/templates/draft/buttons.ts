import type { ButtonInput, Report } from './input.js';
import { missingSampleOfCode, missingSampleOfLink } from './samples.js';
import { brokenLineRule, brokenUrlRule, oneOf } from './texts.js';

/** Limits of Meta's Cloud API ("Template components", "Coupon code templates", "Carousel templates"). */
const TEXT_LIMIT = 25;
const CODE_LIMIT = 20;
const MAX_BUTTONS = 10;
const MAX_OF_CARD = 2;
/** Buttons of a type, at the most. */
const MOST_OF_TYPE: Readonly<Record<string, number>> = {
  URL: 2,
  PHONE_NUMBER: 1,
  COPY_CODE: 1,
  FLOW: 1,
  VOICE_CALL: 1,
};
/** Buttons of products stand alone, and say in Meta's words what they do. */
const ALONE: Readonly<Record<string, string>> = { CATALOG: 'View catalog', MPM: 'View items', SPM: 'View' };

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
const OF_CARDS = ['QUICK_REPLY', 'URL', 'PHONE_NUMBER', 'SPM'];
const FLOW_KEYS = ['flow_id', 'flow_name', 'flow_json'];

/** Checks the buttons of a template, or of a card of a carousel, and gives them Meta's form. */
export function checkButtons(
  inputs: readonly ButtonInput[],
  path: string,
  report: Report,
  of: 'template' | 'card' = 'template',
): ButtonInput[] {
  const most = of === 'card' ? MAX_OF_CARD : MAX_BUTTONS;
  const types = of === 'card' ? OF_CARDS : BUTTON_TYPES;
  if (inputs.length === 0 || inputs.length > most) {
    report(path, `must be an array of 1 to ${most} buttons, such as [{"type": "QUICK_REPLY", "text": "Yes"}]`);
  }
  const buttons = inputs.map((button, index) => checkButton(button, types, `${path}[${index}]`, report));
  checkTogether(buttons, path, report);
  return buttons;
}

function checkTogether(buttons: readonly ButtonInput[], path: string, report: Report): void {
  const texts = buttons.map(({ text }) => text?.trim().normalize('NFC').toUpperCase());
  for (const [index, { type }] of buttons.entries()) {
    const most = MOST_OF_TYPE[type] ?? MAX_BUTTONS;
    const before = buttons.slice(0, index);
    if (texts[index] && texts.indexOf(texts[index]) < index) {
      report(`${path}[${index}].text`, 'must differ from the texts of the other buttons by more than case');
    }
    if (before.filter((each) => each.type === type).length >= most) {
      report(`${path}[${index}]`, `must not be one of more than ${most} of the type ${type}`);
    }
    if (ALONE[type] !== undefined && buttons.length > 1) {
      report(`${path}[${index}]`, `must be the only button, being of the type ${type}`);
    }
  }
  const switches = buttons.filter(
    ({ type }, index) => index > 0 && isQuickReply(type) !== isQuickReply(buttons[index - 1]?.type),
  );
  if (switches.length > 1) report(path, 'must have all buttons of the type QUICK_REPLY beside one another');
}

function checkButton(button: ButtonInput, types: readonly string[], path: string, report: Report): ButtonInput {
  const type = button.type.toUpperCase();
  const { url, phone_number, example, text: given, ...more } = button;
  if (!types.includes(type)) report(`${path}.type`, `must be ${oneOf(types)}`);
  // Meta words the button that copies a code itself, and those of products.
  const own = given ?? ALONE[type];
  const text = type === 'COPY_CODE' && own === undefined ? {} : { text: own };
  if ('text' in text) report(`${path}.text`, brokenLineRule(text.text, TEXT_LIMIT, 0));
  const made: ButtonInput = { ...more, type, ...text, ...(example !== undefined && { example }) };
  if (type === 'URL') {
    const rule = brokenUrlRule(url);
    // The sample is of interest once the link is sound.
    report(rule === null ? `${path}.example` : `${path}.url`, rule ?? missingSampleOfLink(url, example));
    return { ...made, ...(url !== undefined && { url }) };
  }
  if (type === 'COPY_CODE') report(`${path}.example`, missingSampleOfCode(example, CODE_LIMIT));
  if (type === 'FLOW') checkFlow(button, path, report);
  if (type !== 'PHONE_NUMBER') return made;
  // As people write it; Meta takes digits and a plus sign.
  const dialled = phone_number?.startsWith('+') ? phone_number.replace(/\(0\)|[\s().\-/]/g, '') : phone_number;
  if (!/^\+?\d{7,15}$/.test(dialled ?? '')) {
    report(`${path}.phone_number`, 'must be a phone number of 7 to 15 digits');
  }
  return { ...made, ...(dialled !== undefined && { phone_number: dialled }) };
}

/** A Flow is named by one of three fields; what it opens with is its own matter. */
function checkFlow(button: ButtonInput, path: string, report: Report): void {
  const given = FLOW_KEYS.filter((key) => button[key] !== undefined);
  const isNamed = given.length === 1 && given.every((key) => typeof button[key] === 'string' && button[key] !== '');
  if (!isNamed) report(path, 'must have one of flow_id, flow_name and flow_json, a text');
  const { flow_action: action } = button;
  if (action !== undefined && action !== 'navigate' && action !== 'data_exchange') {
    report(`${path}.flow_action`, 'must be navigate or data_exchange');
  }
}

function isQuickReply(type: string | undefined): boolean {
  return type === 'QUICK_REPLY';
}
