import { hasBrokenPlaceholder, isPosition, placeholderKeys } from '../../carriers/template-placeholders.js';
import type { TemplateDraft } from '../../carriers/templates.js';
import { invalidFields, isLongerThan } from '../../platform/errors/field-problems.js';

/** A button of a draft, as its schema has checked it. */
export interface ButtonInput {
  type: string;
  text?: string;
  url?: string;
  phone_number?: string;
  example?: string | string[];
}

/** A component of a draft, as its schema has checked it. */
export interface DraftComponentInput {
  type: string;
  format?: string;
  text?: string;
  buttons?: ButtonInput[];
  example?: Record<string, unknown>;
}

export interface DraftInput {
  name: string;
  language: string;
  category: string;
  components: DraftComponentInput[];
}

/** Limits of Meta's Cloud API ("Template components"), in characters. */
const BODY_LIMIT = 1024;
const SHORT_TEXT_LIMIT = 60;
const BUTTON_TEXT_LIMIT = 25;
const URL_LIMIT = 2000;
const MAX_BUTTONS = 10;

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
export function checkDraft({ name, language, category, components }: DraftInput): TemplateDraft {
  const check = new DraftCheck();
  const checked = components.map((component, index) => check.component(component, `components[${index}]`));
  const types = checked.map(({ type }) => type);
  for (const [index, type] of types.entries()) {
    if (types.indexOf(type) < index) check.problem(`components[${index}]`, `repeats the ${type}`);
  }
  if (!types.includes('BODY')) check.problem('components', 'must hold a BODY');
  if (check.problems.length > 0) throw invalidFields(check.problems);
  return { name, language, category, components: checked };
}

class DraftCheck {
  readonly problems: { field: string; rule: string }[] = [];

  problem(field: string, rule: string): void {
    this.problems.push({ field, rule });
  }

  component(input: DraftComponentInput, path: string): { type: string } & Record<string, unknown> {
    const type = input.type.toUpperCase();
    const example = pick(input.example ?? {}, EXAMPLE_FIELDS);
    const withExample = Object.keys(example).length > 0 ? { example } : {};
    switch (type) {
      case 'HEADER':
        return { type, ...this.#header(input, path), ...withExample };
      case 'BODY':
        return { type, text: this.#text(input.text, `${path}.text`, BODY_LIMIT), ...withExample };
      case 'FOOTER':
        return { type, text: this.#text(input.text, `${path}.text`, SHORT_TEXT_LIMIT, 0) };
      case 'BUTTONS':
        return { type, ...this.#buttons(input.buttons ?? [], `${path}.buttons`) };
      default:
        this.problem(`${path}.type`, `must be ${oneOf(TYPES)}`);
        return { type };
    }
  }

  #header({ format: given = 'TEXT', text }: DraftComponentInput, path: string) {
    const format = given.toUpperCase();
    if (format === 'TEXT') return { format, text: this.#text(text, `${path}.text`, SHORT_TEXT_LIMIT, 1) };
    if (!HEADER_FORMATS.includes(format)) this.problem(`${path}.format`, `must be ${oneOf(HEADER_FORMATS)}`);
    else if (text !== undefined) this.problem(`${path}.text`, `must not be sent with the format ${format}`);
    return { format };
  }

  #buttons(buttons: readonly ButtonInput[], path: string) {
    if (buttons.length === 0 || buttons.length > MAX_BUTTONS) {
      this.problem(path, `must be an array of 1 to ${MAX_BUTTONS} buttons`);
    }
    return { buttons: buttons.map((button, index) => this.#button(button, `${path}[${index}]`)) };
  }

  #button(button: ButtonInput, path: string) {
    const type = button.type.toUpperCase();
    const { url, phone_number, example } = button;
    if (!BUTTON_TYPES.includes(type)) this.problem(`${path}.type`, `must be ${oneOf(BUTTON_TYPES)}`);
    // Meta words the button that copies a code itself.
    const text =
      type === 'COPY_CODE' && button.text === undefined
        ? {}
        : { text: this.#text(button.text, `${path}.text`, BUTTON_TEXT_LIMIT, 0) };
    const rest = example === undefined ? {} : { example };
    if (type === 'URL') return { type, ...text, url: this.#url(url, `${path}.url`), ...rest };
    if (type !== 'PHONE_NUMBER') return { type, ...text, ...rest };
    if (!/^\+?\d{7,15}$/.test(phone_number ?? '')) {
      this.problem(`${path}.phone_number`, 'must be a phone number of 7 to 15 digits');
    }
    return { type, ...text, phone_number };
  }

  #url(url: string | undefined, field: string): string | undefined {
    const plain = url?.replace(/\{\{.*?\}\}/g, 'x');
    if (
      url === undefined ||
      url.length > URL_LIMIT ||
      !/^https?:\/\/\S+$/i.test(plain ?? '') ||
      !URL.canParse(plain ?? '')
    ) {
      this.problem(field, `must be an http or https URL of at most ${URL_LIMIT} characters`);
    }
    this.#placeholders(url ?? '', field, 1);
    return url;
  }

  #text(text: string | undefined, field: string, limit: number, mostPlaceholders?: number): string | undefined {
    if (text === undefined || text.trim() === '' || isLongerThan(text, limit)) {
      this.problem(field, `must be a text of 1 to ${limit} characters`);
    }
    this.#placeholders(text ?? '', field, mostPlaceholders);
    return text;
  }

  /** Either {{1}}, {{2}} … without a gap, or names. */
  #placeholders(text: string, field: string, most = Number.POSITIVE_INFINITY): void {
    if (hasBrokenPlaceholder(text)) {
      this.problem(field, 'must write each parameter as {{1}} or {{first_name}}');
      return;
    }
    const keys = placeholderKeys(text);
    if (keys.length > most) {
      this.problem(field, most === 0 ? 'must not hold parameters' : `must not hold more than ${most} parameter`);
      return;
    }
    const positions = keys.filter(isPosition);
    if (positions.length > 0 && positions.length < keys.length) {
      this.problem(field, 'must number all of its parameters or name all of them');
    } else if (positions.some((_, index) => !positions.includes(String(index + 1)))) {
      this.problem(field, 'must number its parameters {{1}}, {{2}} … without a gap');
    } else if (keys.some((key) => !/^[a-z0-9_]+$/.test(key))) {
      this.problem(field, 'must name its parameters by lower-case letters, digits and underscores');
    }
  }
}

function oneOf(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

function pick(source: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.filter((name) => Object.hasOwn(source, name)).map((name) => [name, source[name]]));
}
