import { type AppError, invalidField } from '../../../platform/errors/app-error.js';

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
  const problem = checkValue(body, escapes, 0);
  if (!problem) return null;
  const field = fieldOf(problem.path);
  if (problem.what === 'key') return invalidField(field, `has a key that ${TEXT_RULE}`);
  return problem.what === 'text'
    ? invalidField(field, TEXT_RULE)
    : invalidField('body', `must not be nested deeper than ${MAX_DEPTH} levels`);
}

/** What is wrong in a body, and where: the path is made on the way back, for it is hardly ever wanted. */
interface BodyProblem {
  what: 'depth' | 'key' | 'text';
  /** From the inside out. */
  path: (string | number)[];
}

function checkValue(value: unknown, escapes: boolean, depth: number): BodyProblem | null {
  if (typeof value === 'string') return escapes && FORBIDDEN.test(value) ? { what: 'text', path: [] } : null;
  if (typeof value !== 'object' || value === null) return null;
  if (depth >= MAX_DEPTH) return { what: 'depth', path: [] };
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const problem = checkValue(value[index], escapes, depth + 1);
      if (problem) return within(problem, index);
    }
    return null;
  }
  for (const key in value) {
    if (escapes && FORBIDDEN.test(key)) return { what: 'key', path: [] };
    const problem = checkValue((value as Record<string, unknown>)[key], escapes, depth + 1);
    if (problem) return within(problem, key);
  }
  return null;
}

function within(problem: BodyProblem, step: string | number): BodyProblem {
  problem.path.push(step);
  return problem;
}

/** `components[0].type`; `body` for the whole. */
function fieldOf(path: readonly (string | number)[]): string {
  let field = '';
  for (const step of path.toReversed()) {
    field += typeof step === 'number' ? `[${step}]` : field === '' ? step : `.${step}`;
  }
  return field || 'body';
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
