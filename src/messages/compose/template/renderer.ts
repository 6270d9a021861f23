import type { TemplateComponent, TemplateParameter } from '../../../carriers/content.js';
import { fillPlaceholders, isPositionKey, listPlaceholderKeys } from '../../../carriers/template-placeholders.js';
import type { FieldProblem } from '../../../platform/errors/app-error.js';
import { isBlank, isLongerThan } from '../../../platform/errors/field-problems.js';
import { checkAction } from './check-action.js';
import { checkMedia } from './check-media.js';
import { isRecord, type TemplateButton } from './components.js';

export interface SentComponent {
  path: string;
  component: TemplateComponent;
}

/** Meta treats a blank text as a missing parameter (131008). */
const TEXT_RULE = 'must be a text that is not blank';

function parameterText(parameter: TemplateParameter): string | null {
  const holder = parameter.type === 'text' ? parameter : parameter[parameter.type];
  const key = parameter.type === 'text' ? 'text' : 'fallback_value';
  const value = (holder as Record<string, unknown> | null | undefined)?.[key];
  return typeof value === 'string' && !isBlank(value) ? value : null;
}

const TEXT_TYPES: readonly string[] = ['text', 'currency', 'date_time'];
/**
 * Meta rejects parameter texts that match this pattern with error 132018, "Param text cannot have new-line/tab characters or
 * more than 4 consecutive spaces".
 */
const FORBIDDEN_IN_VALUE = /[\r\n\t]| {5}/;
/** Limits from Meta's documentation, "Coupon code templates" and "Limited-time offer templates". */
const CODE_LIMIT = 20;
const OFFER_CODE_LIMIT = 15;
/** A smaller timestamp is probably in seconds, because in milliseconds it would be before September 2001. */
const FIRST_MILLISECOND = 1_000_000_000_000;
const SUB_TYPES: Readonly<Record<string, string>> = { OTP: 'URL' };

export class Renderer {
  readonly problems: FieldProblem[] = [];
  readonly #root: string;
  readonly #owner: string;

  /**
   * @param root path for problems about missing components
   * @param owner names the template or card in problems: `the template`, `card 1`
   */
  constructor(root: string, owner: string) {
    this.#root = root;
    this.#owner = owner;
  }

  renderText(
    part: string,
    text: string,
    sent: SentComponent | undefined,
    types: readonly string[] = TEXT_TYPES,
  ): string {
    const keys = listPlaceholderKeys(text);
    const parameters = sent?.component.parameters ?? [];
    const isNamed = keys.some((key) => !isPositionKey(key));
    const values = new Map<string, string>();
    const used = new Set<number>();
    for (const key of keys) {
      const index = isNamed ? parameters.findIndex((each) => each.parameter_name === key) : Number(key) - 1;
      const parameter = parameters[index];
      if (!parameter) {
        this.#reportMissing(sent, `has no parameter for {{${key}}} of ${this.#owner}'s ${part}`);
        continue;
      }
      used.add(index);
      const value = this.#readValue(parameter, `${sent?.path}.parameters[${index}]`, types);
      if (value !== null) values.set(key, value);
    }
    this.#reportSurplus(sent, used, `${part} takes ${keys.length === 1 ? '1 parameter' : `${keys.length} parameters`}`);
    return fillPlaceholders(text, values);
  }

  /** A media header has exactly one parameter. */
  checkHeaderMedia(format: string, sent: SentComponent | undefined): void {
    const type = format.toLowerCase();
    const parameter = sent?.component.parameters?.[0];
    const path = `${sent?.path}.parameters[0]`;
    if (!parameter) this.#reportMissing(sent, `has no ${type} parameter for ${this.#owner}'s header`);
    else if (parameter.type !== type || !isRecord(parameter[type])) {
      this.problems.push({ field: path, rule: `must be of type ${type} and have ${withArticle(type)}` });
    } else this.problems.push(...checkMedia(type, parameter[type], `${path}.${type}`));
    this.#reportSurplus(sent, new Set([0]), `header takes one ${type}`);
  }

  /** @param isOffer the template is a limited-time offer, which has shorter codes */
  renderButton(button: TemplateButton, index: number, sent: SentComponent | undefined, isOffer: boolean): string {
    const part = `button ${index}`;
    const subType = sent?.component.sub_type;
    const type = SUB_TYPES[button.type] ?? button.type;
    if (sent && (typeof subType !== 'string' || subType.toUpperCase() !== type)) {
      this.problems.push({ field: `${sent.path}.sub_type`, rule: `must be ${type.toLowerCase()}` });
      return button.url;
    }
    if (type === 'URL') return this.renderText(part, button.url, sent, ['text']);
    if (type === 'COPY_CODE') {
      if (!sent?.component.parameters?.[0]) {
        this.#reportMissing(sent, `has no coupon_code parameter for ${this.#owner}'s ${part}`);
      }
      this.#checkSingleParameter(part, 'coupon_code', sent, isOffer ? OFFER_CODE_LIMIT : CODE_LIMIT);
    } else if (type === 'QUICK_REPLY') this.#checkSingleParameter(part, 'payload', sent);
    else if (type === 'PHONE_NUMBER' || type === 'SPM')
      this.#reportSurplus(sent, new Set(), `${part} takes no parameters`);
    else if (type === 'MPM' || type === 'CATALOG' || type === 'FLOW') this.#checkActionParameter(type, part, sent);
    return button.url;
  }

  /** The expiry time of a limited-time offer is shown as a countdown. */
  checkOffer(expires: boolean, sent: SentComponent | undefined): void {
    const parameter = sent?.component.parameters?.[0];
    const path = `${sent?.path}.parameters[0]`;
    if (!parameter) {
      if (expires)
        this.#reportMissing(sent, `has no limited_time_offer parameter for ${this.#owner}'s limited-time offer`);
    } else if (parameter.type !== 'limited_time_offer' || !isRecord(parameter.limited_time_offer)) {
      this.problems.push({ field: path, rule: 'must be of type limited_time_offer and have a limited_time_offer' });
    } else {
      const { expiration_time_ms: time } = parameter.limited_time_offer;
      if (typeof time !== 'number' || !Number.isSafeInteger(time) || time < FIRST_MILLISECOND) {
        const field = `${path}.limited_time_offer.expiration_time_ms`;
        this.problems.push({ field, rule: 'must be an integer, the Unix time in milliseconds' });
      }
    }
    this.#reportSurplus(sent, new Set([0]), 'limited-time offer takes one limited_time_offer');
  }

  #checkSingleParameter(
    part: string,
    type: 'payload' | 'coupon_code',
    sent: SentComponent | undefined,
    limit?: number,
  ): void {
    const parameter = sent?.component.parameters?.[0];
    const path = `${sent?.path}.parameters[0]`;
    const value = parameter?.[type];
    if (parameter && parameter.type !== type) {
      this.problems.push({ field: `${path}.type`, rule: `must be ${type}` });
    } else if (parameter && (typeof value !== 'string' || isBlank(value))) {
      this.problems.push({ field: `${path}.${type}`, rule: TEXT_RULE });
    } else if (limit !== undefined && typeof value === 'string' && isLongerThan(value, limit)) {
      this.problems.push({ field: `${path}.${type}`, rule: `must have at most ${limit} characters` });
    }
    this.#reportSurplus(sent, new Set([0]), `${part} takes one ${type}`);
  }

  #checkActionParameter(type: 'MPM' | 'CATALOG' | 'FLOW', part: string, sent: SentComponent | undefined): void {
    const parameter = sent?.component.parameters?.[0];
    const path = `${sent?.path}.parameters[0]`;
    if (!parameter) {
      if (type === 'MPM') this.#reportMissing(sent, `has no action parameter for ${this.#owner}'s ${part}`);
    } else if (parameter.type !== 'action' || !isRecord(parameter.action)) {
      this.problems.push({ field: path, rule: 'must be of type action and have an action' });
    } else this.problems.push(...checkAction(type, parameter.action, `${path}.action`));
    this.#reportSurplus(sent, new Set([0]), `${part} takes one action`);
  }

  #readValue(parameter: TemplateParameter, path: string, types: readonly string[]): string | null {
    if (!types.includes(parameter.type)) {
      const rule = types.length === 1 ? `must be ${types[0]}` : 'must be text, currency or date_time';
      this.problems.push({ field: `${path}.type`, rule });
      return null;
    }
    const value = parameterText(parameter);
    const field = parameter.type === 'text' ? 'text' : `${parameter.type}.fallback_value`;
    if (value === null) this.problems.push({ field: `${path}.${field}`, rule: TEXT_RULE });
    else if (FORBIDDEN_IN_VALUE.test(value)) {
      const rule = 'must have no line breaks, no tabs and at most four consecutive spaces';
      this.problems.push({ field: `${path}.${field}`, rule });
    }
    return value;
  }

  #reportMissing(sent: SentComponent | undefined, rule: string): void {
    this.problems.push({ field: sent?.path ?? this.#root, rule, kind: 'missing-parameter' });
  }

  #reportSurplus(sent: SentComponent | undefined, used: ReadonlySet<number>, expectation: string): void {
    const rule = `is surplus: ${this.#owner}'s ${expectation}`;
    for (const index of sent?.component.parameters?.keys() ?? []) {
      if (used.has(index)) continue;
      this.problems.push({ field: `${sent?.path}.parameters[${index}]`, rule, kind: 'surplus-parameter' });
    }
  }
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}
