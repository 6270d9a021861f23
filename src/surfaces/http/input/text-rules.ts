import { type AppError, invalidField } from '../../../platform/errors/app-error.js';

/** Matches NUL, which PostgreSQL cannot store, and halves of a surrogate pair, which UTF-8 cannot express. */
const FORBIDDEN = /[\0\p{Cs}]/u;
const TEXT_RULE = 'must not contain NUL characters or unpaired surrogates';
/** Bodies that are nested more deeply could overflow the stack of recursive code, including PostgreSQL's. */
const MAX_DEPTH = 32;

/**
 * @param hasEscapes whether the JSON contained `\u` escapes. A JSON text without escapes cannot contain a forbidden character,
 *   because JSON allows no raw NUL and UTF-8 allows no surrogates.
 * @returns the first problem, or null
 */
export function checkBody(body: unknown, hasEscapes: boolean): AppError | null {
  const problem = checkValue(body, hasEscapes, 0);
  if (!problem) return null;
  const field = formatPath(problem.path);
  if (problem.kind === 'key') return invalidField(field, `has a key that ${TEXT_RULE}`);
  return problem.kind === 'text'
    ? invalidField(field, TEXT_RULE)
    : invalidField('body', `must not be nested deeper than ${MAX_DEPTH} levels`);
}

/** The path to a problem is built only while the recursion returns, because most bodies have no problem. */
interface BodyProblem {
  kind: 'depth' | 'key' | 'text';
  /** Steps of the path from the innermost to the outermost. */
  path: (string | number)[];
}

function checkValue(value: unknown, hasEscapes: boolean, depth: number): BodyProblem | null {
  if (typeof value === 'string') return hasEscapes && FORBIDDEN.test(value) ? { kind: 'text', path: [] } : null;
  if (typeof value !== 'object' || value === null) return null;
  if (depth >= MAX_DEPTH) return { kind: 'depth', path: [] };
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const problem = checkValue(value[index], hasEscapes, depth + 1);
      if (problem) return addStep(problem, index);
    }
    return null;
  }
  for (const key in value) {
    if (hasEscapes && FORBIDDEN.test(key)) return { kind: 'key', path: [] };
    const problem = checkValue((value as Record<string, unknown>)[key], hasEscapes, depth + 1);
    if (problem) return addStep(problem, key);
  }
  return null;
}

function addStep(problem: BodyProblem, step: string | number): BodyProblem {
  problem.path.push(step);
  return problem;
}

/** Formats a path as `components[0].type`, or as `body` if the path is empty. */
function formatPath(path: readonly (string | number)[]): string {
  let field = '';
  for (const step of path.toReversed()) {
    field += typeof step === 'number' ? `[${step}]` : field === '' ? step : `.${step}`;
  }
  return field || 'body';
}

/**
 * Finds forbidden and undecodable characters in a URL.
 * @returns the first problem, or null
 */
export function checkUrl(url: string, params: unknown): AppError | null {
  const queryMark = url.indexOf('?');
  const path = queryMark === -1 ? url : url.slice(0, queryMark);
  if (path.includes('%')) {
    for (const [name, value] of Object.entries((params ?? {}) as Record<string, string>)) {
      if (name !== '*' && FORBIDDEN.test(value)) return invalidField(name, TEXT_RULE);
    }
    if (FORBIDDEN.test(decode(path) ?? '')) return invalidField('path', TEXT_RULE);
  }
  return queryMark === -1 ? null : checkQuery(url.slice(queryMark + 1));
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
