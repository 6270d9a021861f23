import { type AppError, invalidField } from '../../platform/errors/app-error.js';

/** NUL, which PostgreSQL cannot store, and halves of a surrogate pair, which UTF-8 cannot express. */
const FORBIDDEN = /[\0\p{Cs}]/u;
const TEXT_RULE = 'must not contain NUL characters or unpaired surrogates';
/** Deeper bodies would exhaust the stack of whatever walks them later, PostgreSQL included. */
const MAX_DEPTH = 32;

/**
 * Checks every text and key of a parsed body.
 * @param escapes whether the body's JSON had `\u` escapes: without them no forbidden character can be in it, for JSON
 * allows neither raw NUL nor, in valid UTF-8, a raw surrogate
 * @returns the first problem, or null
 */
export function checkBody(body: unknown, escapes: boolean): AppError | null {
  return typeof body === 'object' && body !== null
    ? checkObject(body, escapes, '', 1)
    : checkText(body, escapes, 'body');
}

function checkObject(value: object, escapes: boolean, path: string, depth: number): AppError | null {
  if (depth > MAX_DEPTH) return invalidField('body', `must not be nested deeper than ${MAX_DEPTH} levels`);
  const list = Array.isArray(value);
  for (const key in value) {
    const field = list ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    if (escapes && !list && FORBIDDEN.test(key)) return invalidField(path || 'body', `has a key that ${TEXT_RULE}`);
    const child = (value as Record<string, unknown>)[key];
    const problem =
      typeof child === 'object' && child !== null
        ? checkObject(child, escapes, field, depth + 1)
        : checkText(child, escapes, field);
    if (problem) return problem;
  }
  return null;
}

function checkText(value: unknown, escapes: boolean, field: string): AppError | null {
  return escapes && typeof value === 'string' && FORBIDDEN.test(value) ? invalidField(field, TEXT_RULE) : null;
}

/**
 * Checks the path and the query string of a request for forbidden and undecodable characters.
 * @param url the request's target as received
 * @param params path parameters, decoded
 * @returns the first problem, or null
 */
export function checkUrl(url: string, params: unknown): AppError | null {
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  if (path.includes('%')) {
    for (const [name, value] of Object.entries((params ?? {}) as Record<string, string>)) {
      if (name !== '*' && FORBIDDEN.test(value)) return invalidField(name, TEXT_RULE);
    }
    if (FORBIDDEN.test(decode(path) ?? '')) return invalidField('path', TEXT_RULE);
  }
  return mark === -1 ? null : checkQuery(url.slice(mark + 1));
}

function checkQuery(query: string): AppError | null {
  if (!query.includes('%')) return null;
  for (const pair of query.split('&')) {
    const [rawName = '', ...rest] = pair.split('=');
    const name = decode(rawName);
    if (name === null || FORBIDDEN.test(name)) return invalidField('query', `has a name that ${TEXT_RULE}`);
    const value = decode(rest.join('='));
    if (value === null) return invalidField(name, 'must be valid percent-encoded UTF-8');
    if (FORBIDDEN.test(value)) return invalidField(name, TEXT_RULE);
  }
  return null;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
