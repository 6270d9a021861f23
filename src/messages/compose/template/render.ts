import type { TemplateComponent, TemplateParameter } from '../../../carriers/content.js';
import { fillPlaceholders, isPosition, placeholderKeys } from '../../../carriers/template-placeholders.js';
import type { FieldProblem } from '../../../platform/errors/app-error.js';
import { isBlank } from '../../../platform/errors/field-problems.js';
import { isRecord, readComponents, type TemplateButton, type TemplateShape } from './components.js';

export interface RenderedTemplate {
  /** The text of the template's BODY with the parameters put in place; header, footer and buttons are not in it. */
  body: string;
  /** Missing, surplus and malformed parameters; empty when a carrier can be given the components as they are. */
  problems: FieldProblem[];
}

/** A component as sent, with its path in the request. */
interface Sent {
  path: string;
  component: TemplateComponent;
}

/** To Meta a blank text is a parameter that is missing (131008). */
const TEXT_RULE = 'must be a text that is not empty, and not of spaces alone';

/** The text that a parameter puts in place, or null when it has none. Meta: `text`, `currency` and `date_time`. */
function parameterText(parameter: TemplateParameter): string | null {
  const holder = parameter.type === 'text' ? parameter : parameter[parameter.type];
  const key = parameter.type === 'text' ? 'text' : 'fallback_value';
  const value = (holder as Record<string, unknown> | null | undefined)?.[key];
  return typeof value === 'string' && !isBlank(value) ? value : null;
}

/** Types of a parameter whose text is put into header or body. */
const TEXT_TYPES: readonly string[] = ['text', 'currency', 'date_time'];
/** What Meta answers with 132018, "Param text cannot have new-line/tab characters or more than 4 consecutive spaces". */
const REFUSED_IN_A_VALUE = /[\r\n\t]| {5}/;
/** Media that a parameter names by the id of an upload or by a link. */
const LINKED_TYPES: ReadonlySet<string> = new Set(['image', 'video', 'document']);

/** Meta's media object: exactly one of `id` and `link`. */
function hasOneSource(media: Record<string, unknown>): boolean {
  const sources = [media.id, media.link].filter((source) => source !== undefined);
  return sources.length === 1 && sources[0] !== '';
}

/** A link that Meta can fetch; none at all stands beside an id. */
function isLink(link: unknown): boolean {
  if (link === undefined) return true;
  return typeof link === 'string' && /^https?:\/\/\S+$/i.test(link) && URL.canParse(link);
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}

class Renderer {
  readonly problems: FieldProblem[] = [];
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** Fills the placeholders of one text from the component that was sent for it. */
  text(part: string, text: string, sent: Sent | undefined, types: readonly string[] = TEXT_TYPES): string {
    const keys = placeholderKeys(text);
    const parameters = sent?.component.parameters ?? [];
    const named = keys.some((key) => !isPosition(key));
    const values = new Map<string, string>();
    const used = new Set<number>();
    for (const key of keys) {
      const index = named ? parameters.findIndex((each) => each.parameter_name === key) : Number(key) - 1;
      const parameter = parameters[index];
      if (!parameter) {
        this.#missing(sent, `has no parameter for {{${key}}} of the template's ${part}`);
        continue;
      }
      used.add(index);
      const value = this.#value(parameter, `${sent?.path}.parameters[${index}]`, types);
      if (value !== null) values.set(key, value);
    }
    this.#surplus(
      sent,
      used,
      `is surplus: the template's ${part} takes ${keys.length === 1 ? '1 parameter' : `${keys.length} parameters`}`,
    );
    return fillPlaceholders(text, values);
  }

  /** A header of a picture, a video, a document or a place takes that and nothing else. */
  media(format: string, sent: Sent | undefined): void {
    const type = format.toLowerCase();
    const parameter = sent?.component.parameters?.[0];
    const path = `${sent?.path}.parameters[0]`;
    if (!parameter) this.#missing(sent, `has no ${type} parameter for the template's header`);
    else if (parameter.type !== type || !isRecord(parameter[type])) {
      this.problems.push({ field: path, rule: `must be of type ${type} and hold ${withArticle(type)}` });
    } else if (LINKED_TYPES.has(type) && !hasOneSource(parameter[type])) {
      this.problems.push({ field: `${path}.${type}`, rule: 'must hold either an id or a link' });
    } else if (LINKED_TYPES.has(type) && !isLink(parameter[type].link)) {
      this.problems.push({ field: `${path}.${type}.link`, rule: 'must be an http or https URL' });
    }
    this.#surplus(sent, new Set([0]), `is surplus: the template's header takes one ${type}`);
  }

  button(button: TemplateButton, index: number, sent: Sent | undefined): void {
    const part = `button ${index}`;
    const subType = sent?.component.sub_type;
    if (sent && (typeof subType !== 'string' || subType.toUpperCase() !== button.type)) {
      this.problems.push({ field: `${sent.path}.sub_type`, rule: `must be ${button.type.toLowerCase()}` });
    } else if (button.type === 'URL') {
      this.text(part, button.url ?? '', sent, ['text']);
    } else if (button.type === 'COPY_CODE') {
      if (!sent?.component.parameters?.[0]) {
        this.#missing(sent, `has no coupon_code parameter for the template's ${part}`);
      }
      this.#single(part, 'coupon_code', sent);
    } else if (button.type === 'QUICK_REPLY') {
      this.#single(part, 'payload', sent);
    } else if (button.type === 'PHONE_NUMBER') {
      this.#surplus(sent, new Set(), `is surplus: the template's ${part} takes no parameters`);
    }
  }

  /** A button with at most one parameter, which holds a text under the name of its type (Meta, "Interactive buttons"). */
  #single(part: string, type: 'payload' | 'coupon_code', sent: Sent | undefined): void {
    const parameter = sent?.component.parameters?.[0];
    const path = `${sent?.path}.parameters[0]`;
    if (parameter && parameter.type !== type) {
      this.problems.push({ field: `${path}.type`, rule: `must be ${type}` });
    } else if (parameter && (typeof parameter[type] !== 'string' || isBlank(parameter[type]))) {
      this.problems.push({ field: `${path}.${type}`, rule: TEXT_RULE });
    }
    this.#surplus(sent, new Set([0]), `is surplus: the template's ${part} takes one ${type}`);
  }

  #value(parameter: TemplateParameter, path: string, types: readonly string[]): string | null {
    if (!types.includes(parameter.type)) {
      const rule = types.length === 1 ? `must be ${types[0]}` : 'must be text, currency or date_time';
      this.problems.push({ field: `${path}.type`, rule });
      return null;
    }
    const value = parameterText(parameter);
    const field = parameter.type === 'text' ? 'text' : `${parameter.type}.fallback_value`;
    if (value === null) this.problems.push({ field: `${path}.${field}`, rule: TEXT_RULE });
    else if (REFUSED_IN_A_VALUE.test(value)) {
      const rule = 'must have no line end, no tab and not more than four blanks in a row';
      this.problems.push({ field: `${path}.${field}`, rule });
    }
    return value;
  }

  #missing(sent: Sent | undefined, rule: string): void {
    this.problems.push({ field: sent?.path ?? this.#root, rule });
  }

  #surplus(sent: Sent | undefined, used: ReadonlySet<number>, rule: string): void {
    for (const index of sent?.component.parameters?.keys() ?? []) {
      if (!used.has(index)) this.problems.push({ field: `${sent?.path}.parameters[${index}]`, rule });
    }
  }
}

/** Sorts the components by the part of the template that they are for, and names those that are for none. */
function assign(shape: TemplateShape, sent: readonly TemplateComponent[], root: string, problems: FieldProblem[]) {
  const parts = new Map<string, Sent>();
  for (const [position, component] of sent.entries()) {
    const path = `${root}[${position}]`;
    const type = component.type.toLowerCase();
    const index = type === 'button' ? String(component.index ?? '') : '';
    if (type === 'button' && !(/^\d+$/.test(index) && Number(index) < shape.buttons.length)) {
      problems.push({ field: `${path}.index`, rule: `must be the index of one of the template's buttons` });
      continue;
    }
    if (!['header', 'body', 'button'].includes(type) && !shape.otherTypes.has(type)) {
      problems.push({ field: `${path}.type`, rule: 'must be header, body or button' });
      continue;
    }
    const part = type === 'button' ? `button ${Number(index)}` : type;
    if (parts.has(part)) problems.push({ field: path, rule: `repeats the ${part}` });
    else parts.set(part, { path, component });
  }
  return parts;
}

/**
 * Renders a template as its recipient reads it, and checks that the components hold each of its parameters and no other.
 * Numbered placeholders (`{{1}}`) take the parameters in order, named ones (`{{first_name}}`) by `parameter_name`.
 * @param template Meta's components as stored: `[{type: "HEADER"|"BODY"|"FOOTER"|"BUTTONS", ...}]`
 * @param sent components of the request: `[{type: "header"|"body"|"button", sub_type?, index?, parameters}]`
 * @param root path of `sent` in the request, with which the fields of the problems begin
 */
export function renderTemplate(
  template: unknown,
  sent: readonly TemplateComponent[],
  root = 'components',
): RenderedTemplate {
  const shape = readComponents(template);
  const renderer = new Renderer(root);
  const parts = assign(shape, sent, root, renderer.problems);
  if (!shape.header || shape.header.format === 'TEXT') {
    renderer.text('header', shape.header?.text ?? '', parts.get('header'));
  } else {
    renderer.media(shape.header.format, parts.get('header'));
  }
  const body = renderer.text('body', shape.body, parts.get('body'));
  for (const [index, button] of shape.buttons.entries()) renderer.button(button, index, parts.get(`button ${index}`));
  return { body, problems: renderer.problems };
}
