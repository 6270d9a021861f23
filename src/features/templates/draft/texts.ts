import { hasBrokenPlaceholder, isPosition, placeholderKeys } from '../../../carriers/template-placeholders.js';
import { isLongerThan } from '../../../platform/errors/field-problems.js';

/*
 * The rules of texts in Meta's Cloud API ("Template components", "Message template guidelines"). Each function gives the rule
 * that a text breaks, or null.
 */

const URL_LIMIT = 2000;
/** As it is written in a text. */
const PARAMETER = String.raw`\{\{\s*\w+\s*\}\}`;
const AT_AN_END = new RegExp(`^\\s*${PARAMETER}|${PARAMETER}\\s*$`);
const ADJOINING = new RegExp(`${PARAMETER}\\s*${PARAMETER}`);

/**
 * @param limit in characters
 * @param mostPlaceholders how many parameters the text may hold
 */
export function brokenTextRule(
  text: string | undefined,
  limit: number,
  mostPlaceholders = Number.POSITIVE_INFINITY,
): string | null {
  if (text === undefined || text.trim() === '' || isLongerThan(text, limit)) {
    return `must be a text of 1 to ${limit} characters`;
  }
  return brokenPlaceholderRule(text, mostPlaceholders);
}

/** A text of one line: a header, a footer, a button. */
export function brokenLineRule(text: string | undefined, limit: number, mostPlaceholders: number): string | null {
  const rule = brokenTextRule(text, limit, mostPlaceholders);
  return rule ?? (/[\r\n]/.test(text ?? '') ? 'must be a text of one line' : null);
}

export function brokenBodyRule(text: string | undefined, limit: number): string | null {
  const rule = brokenTextRule(text, limit);
  if (rule !== null || text === undefined) return rule;
  if (AT_AN_END.test(text)) return 'must neither begin nor end with a parameter';
  if (ADJOINING.test(text)) return 'must have words between its parameters';
  if (/(\r?\n){4}/.test(text)) return 'must not have four line ends in a row';
  return / {5}|\t/.test(text) ? 'must have no tab and not more than four blanks in a row' : null;
}

/** Either {{1}}, {{2}} … without a gap, or names. */
function brokenPlaceholderRule(text: string, most: number): string | null {
  if (hasBrokenPlaceholder(text)) return 'must write each parameter as {{1}} or {{first_name}}';
  const keys = placeholderKeys(text);
  if (keys.length > most) return most === 0 ? 'must not hold parameters' : `must not hold more than ${most} parameter`;
  const positions = keys.filter(isPosition);
  if (positions.length > 0 && positions.length < keys.length) {
    return 'must number all of its parameters or name all of them';
  }
  if (positions.some((_, index) => !positions.includes(String(index + 1)))) {
    return 'must number its parameters {{1}}, {{2}} … without a gap';
  }
  return keys.some((key) => !/^[a-z0-9_]+$/.test(key))
    ? 'must name its parameters by lower-case letters, digits and underscores'
    : null;
}

/** Names as they are written in a rule. */
export function oneOf(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

/** A URL with at most one parameter, which stands at its end. */
export function brokenUrlRule(url: string | undefined): string | null {
  const plain = url?.replace(/\{\{[^{}]*\}\}/g, 'x') ?? '';
  if (url === undefined || url.length > URL_LIMIT || !/^https?:\/\/\S+$/i.test(plain) || !URL.canParse(plain)) {
    return `must be an http or https URL of at most ${URL_LIMIT} characters`;
  }
  const rule = brokenPlaceholderRule(url, 1);
  return rule ?? (/\}\}./.test(url) ? 'must have its parameter at the end' : null);
}
