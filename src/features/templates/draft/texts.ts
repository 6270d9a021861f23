import { hasBrokenPlaceholder, isPositionKey, listPlaceholderKeys } from '../../../carriers/template-placeholders.js';
import { isLongerThan } from '../../../platform/errors/field-problems.js';

/*
 * Text rules of Meta's Cloud API ("Template components", "Message template guidelines"). Each function returns the rule
 * that a text breaks, or null.
 */

const URL_LIMIT = 2000;
const PARAMETER = String.raw`\{\{\s*\w+\s*\}\}`;
const AT_START_OR_END = new RegExp(`^\\s*${PARAMETER}|${PARAMETER}\\s*$`);
const ADJACENT_PARAMETERS = new RegExp(`${PARAMETER}\\s*${PARAMETER}`);

/** @param limit in characters */
export function findBrokenTextRule(
  text: string | undefined,
  limit: number,
  maxParameters = Number.POSITIVE_INFINITY,
): string | null {
  if (text === undefined || text.trim() === '' || isLongerThan(text, limit)) {
    return `must be a text of 1 to ${limit} characters`;
  }
  return findBrokenPlaceholderRule(text, maxParameters);
}

export function findBrokenLineRule(text: string | undefined, limit: number, maxParameters: number): string | null {
  const rule = findBrokenTextRule(text, limit, maxParameters);
  return rule ?? (/[\r\n]/.test(text ?? '') ? 'must be a text of one line' : null);
}

export function findBrokenBodyRule(text: string | undefined, limit: number): string | null {
  const rule = findBrokenTextRule(text, limit);
  if (rule !== null || text === undefined) return rule;
  if (AT_START_OR_END.test(text)) return 'must neither begin nor end with a parameter';
  if (ADJACENT_PARAMETERS.test(text)) return 'must have words between its parameters';
  if (/(\r?\n){4}/.test(text)) return 'must not contain four line breaks in a row';
  return / {5}|\t/.test(text) ? 'must not contain a tab or more than four spaces in a row' : null;
}

/** The parameters of a text must be either numbered without gaps ({{1}}, {{2}} …) or named. */
function findBrokenPlaceholderRule(text: string, max: number): string | null {
  if (hasBrokenPlaceholder(text)) return 'must write each parameter as {{1}} or {{first_name}}';
  const keys = listPlaceholderKeys(text);
  if (keys.length > max)
    return max === 0 ? 'must not contain parameters' : `must not contain more than ${max} parameter`;
  const positions = keys.filter(isPositionKey);
  if (positions.length > 0 && positions.length < keys.length) {
    return 'must number all of its parameters or name all of them';
  }
  if (positions.some((_, index) => !positions.includes(String(index + 1)))) {
    return 'must number its parameters {{1}}, {{2}} … without a gap';
  }
  return keys.some((key) => !/^[a-z0-9_]+$/.test(key))
    ? 'must name its parameters with lower-case letters, digits and underscores'
    : null;
}

export function joinWithOr(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

/** A URL may contain only one parameter, which must be at its end. */
export function findBrokenUrlRule(url: string | undefined): string | null {
  const plain = url?.replace(/\{\{[^{}]*\}\}/g, 'x') ?? '';
  if (url === undefined || url.length > URL_LIMIT || !/^https?:\/\/\S+$/i.test(plain) || !URL.canParse(plain)) {
    return `must be an http or https URL of at most ${URL_LIMIT} characters`;
  }
  const rule = findBrokenPlaceholderRule(url, 1);
  return rule ?? (/\}\}./.test(url) ? 'must have its parameter at the end' : null);
}
