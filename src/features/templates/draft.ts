import type { TemplateDraft } from '../../carriers/templates.js';
import { invalidFields } from '../../platform/errors/field-problems.js';
import { authenticationPart, type DraftPart } from './draft-authentication.js';
import { missingSample, missingSampleOfCode, missingSampleOfLink, withSamples } from './draft-examples.js';
import type { ButtonInput, DraftComponentInput, DraftInput } from './draft-input.js';
import { brokenBodyRule, brokenLineRule, brokenUrlRule } from './draft-texts.js';
import { isTemplateLanguage } from './languages.js';

/** A draft that obeys every rule. */
export interface CheckedDraft extends TemplateDraft {
  /** The components as the channel holds them, in whose texts parameters are filled. */
  held: readonly object[];
}

/** Limits of Meta's Cloud API ("Template components"), in characters. */
const BODY_LIMIT = 1024;
const SHORT_TEXT_LIMIT = 60;
const BUTTON_TEXT_LIMIT = 25;
const MAX_BUTTONS = 10;
/** Buttons of a type, at the most. */
const MOST_OF_TYPE: Readonly<Record<string, number>> = { URL: 2, PHONE_NUMBER: 1, COPY_CODE: 1 };

const TYPES = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS'];
const HEADER_FORMATS = ['TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION'];
const BUTTON_TYPES = ['QUICK_REPLY', 'URL', 'PHONE_NUMBER', 'COPY_CODE'];
/** Meta wants examples of the parameters; which of these depends on the component. */
const EXAMPLE_FIELDS = [
  'header_text',
  'header_handle',
  'header_text_named_params',
  'body_text',
  'body_text_named_params',
];

/**
 * Checks a draft by the rules of Meta's Cloud API and gives it Meta's form: types in upper case, known fields alone.
 * @throws {AppError} INVALID_REQUEST with every field that breaks a rule
 */
export function checkDraft({ name, language, category, components }: DraftInput): CheckedDraft {
  const check = new DraftCheck();
  if (!isTemplateLanguage(language))
    check.problem('language', "must be one of Meta's codes, such as en_US, de or pt_BR");
  const parts = components.map((component, index) => check.part(component, `components[${index}]`, category));
  const types = parts.map(({ held }) => held.type);
  for (const [index, type] of types.entries()) {
    if (types.indexOf(type) < index) check.problem(`components[${index}]`, `repeats the ${type}`);
  }
  if (!types.includes('BODY')) check.problem('components', 'must hold a BODY');
  if (category === 'AUTHENTICATION' && !types.includes('BUTTONS')) {
    check.problem('components', 'must hold BUTTONS in the category AUTHENTICATION');
  }
  if (check.problems.length > 0) throw invalidFields(check.problems);
  const [handedIn, held] = [parts.map((part) => part.handedIn), parts.map((part) => part.held)];
  return { name, language, category, components: handedIn, held };
}

class DraftCheck {
  readonly problems: { field: string; rule: string }[] = [];

  problem(field: string, rule: string): void {
    this.problems.push({ field, rule });
  }

  part(input: DraftComponentInput, path: string, category: string): DraftPart {
    if (category === 'AUTHENTICATION') {
      return authenticationPart(input, path, (field, rule) => this.problem(field, rule));
    }
    const component = this.#component(input, path);
    return { handedIn: withSamples(component), held: component };
  }

  #component(input: DraftComponentInput, path: string): { type: string } & Record<string, unknown> {
    const type = input.type.toUpperCase();
    const example = pick(input.example ?? {}, EXAMPLE_FIELDS);
    const withExample = Object.keys(example).length > 0 ? { example } : {};
    const { text } = input;
    switch (type) {
      case 'HEADER':
        return { type, ...this.#header(input, path, example), ...withExample };
      case 'BODY':
        this.#withSamples(path, brokenBodyRule(text, BODY_LIMIT), () => missingSample(type, text, example));
        return { type, text, ...withExample };
      case 'FOOTER':
        this.#rule(`${path}.text`, brokenLineRule(text, SHORT_TEXT_LIMIT, 0));
        return { type, text };
      case 'BUTTONS':
        return { type, ...this.#buttons(input.buttons ?? [], `${path}.buttons`) };
      default:
        this.problem(`${path}.type`, `must be ${oneOf(TYPES)}`);
        return { type };
    }
  }

  #header({ format: given = 'TEXT', text }: DraftComponentInput, path: string, example: Record<string, unknown>) {
    const format = given.toUpperCase();
    if (format === 'TEXT') {
      const rule = brokenLineRule(text, SHORT_TEXT_LIMIT, 1);
      this.#withSamples(path, rule, () => missingSample('HEADER', text, example));
      return { format, text };
    }
    if (!HEADER_FORMATS.includes(format)) this.problem(`${path}.format`, `must be ${oneOf(HEADER_FORMATS)}`);
    else if (text !== undefined) this.problem(`${path}.text`, `must not be sent with the format ${format}`);
    return { format };
  }

  #buttons(inputs: readonly ButtonInput[], path: string) {
    if (inputs.length === 0 || inputs.length > MAX_BUTTONS) {
      this.problem(path, `must be an array of 1 to ${MAX_BUTTONS} buttons`);
    }
    const buttons = inputs.map((button, index) => this.#button(button, `${path}[${index}]`));
    const texts = buttons.map(({ text }) => text?.trim().normalize('NFC').toUpperCase());
    for (const [index, { type }] of buttons.entries()) {
      const most = MOST_OF_TYPE[type] ?? MAX_BUTTONS;
      const before = buttons.slice(0, index);
      if (texts[index] && texts.indexOf(texts[index]) < index) {
        this.problem(`${path}[${index}].text`, 'must differ from the texts of the other buttons by more than case');
      }
      if (before.filter((each) => each.type === type).length >= most) {
        this.problem(`${path}[${index}]`, `must not be one of more than ${most} of the type ${type}`);
      }
    }
    const switches = buttons.filter(
      ({ type }, index) => index > 0 && isQuickReply(type) !== isQuickReply(buttons[index - 1]?.type),
    );
    if (switches.length > 1) this.problem(path, 'must have all buttons of the type QUICK_REPLY beside one another');
    return { buttons };
  }

  #button(button: ButtonInput, path: string) {
    const type = button.type.toUpperCase();
    const { url, phone_number, example } = button;
    if (!BUTTON_TYPES.includes(type)) this.problem(`${path}.type`, `must be ${oneOf(BUTTON_TYPES)}`);
    // Meta words the button that copies a code itself.
    const text = type === 'COPY_CODE' && button.text === undefined ? {} : { text: button.text };
    if ('text' in text) this.#rule(`${path}.text`, brokenLineRule(text.text, BUTTON_TEXT_LIMIT, 0));
    const rest = example === undefined ? {} : { example };
    if (type === 'URL') {
      this.#withSamples(path, brokenUrlRule(url), () => missingSampleOfLink(url, example), 'url');
      return { type, ...text, url, ...rest };
    }
    if (type === 'COPY_CODE') this.#rule(`${path}.example`, missingSampleOfCode(example));
    if (type !== 'PHONE_NUMBER') return { type, ...text, ...rest };
    // As people write it; Meta takes digits and a plus sign.
    const dialled = phone_number?.startsWith('+') ? phone_number.replace(/\(0\)|[\s().\-/]/g, '') : phone_number;
    if (!/^\+?\d{7,15}$/.test(dialled ?? '')) {
      this.problem(`${path}.phone_number`, 'must be a phone number of 7 to 15 digits');
    }
    return { type, ...text, phone_number: dialled };
  }

  /** The samples of a text's parameters are of interest once the text is sound. */
  #withSamples(path: string, rule: string | null, samples: () => string | null, field = 'text'): void {
    if (rule === null) this.#rule(`${path}.example`, samples());
    else this.#rule(`${path}.${field}`, rule);
  }

  #rule(field: string, rule: string | null): void {
    if (rule !== null) this.problem(field, rule);
  }
}

function isQuickReply(type: string | undefined): boolean {
  return type === 'QUICK_REPLY';
}

function oneOf(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

function pick(source: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.filter((name) => Object.hasOwn(source, name)).map((name) => [name, source[name]]));
}
