import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { invalidField } from '../../platform/errors/app-error.js';
import { RULE } from '../http/validation.js';
import { queryToken } from './token-auth.js';

const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 1000;

export const Fields = Type.Optional(
  Type.String({
    maxLength: 2048,
    description: 'Names of fields, separated by commas; `id` is always included. Unknown names are ignored.',
    examples: ['id,name,status'],
    [RULE]: 'must be a string of at most 2048 characters',
  }),
);

const cursor = (name: string) =>
  Type.Optional(Type.String({ maxLength: 64, description: `The cursor \`${name}\` of another page.` }));

export const PageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_LIMIT,
      default: DEFAULT_LIMIT,
      description: 'Maximum number of entries per page.',
      [RULE]: `must be an integer from 1 to ${MAX_LIMIT}`,
    }),
  ),
  after: cursor('after'),
  before: cursor('before'),
};

export const Paging = Type.Object({
  cursors: Type.Object({ before: Type.String(), after: Type.String() }),
  next: Type.Optional(Type.String({ description: 'URL of the next page; absent on the last.' })),
  previous: Type.Optional(Type.String({ description: 'URL of the previous page; absent on the first.' })),
});

interface Identified {
  id: string;
}

/**
 * A cursor contains the ID of an entry, so pages do not shift when entries are added at the front.
 * @throws {AppError} INVALID_REQUEST for an invalid cursor
 */
export function cutPage<T extends Identified>(
  request: FastifyRequest,
  { limit = DEFAULT_LIMIT, after, before }: { limit?: number; after?: string; before?: string },
  items: readonly T[],
) {
  let start = 0;
  if (after) start = findPosition('after', after, items) + 1;
  else if (before) start = Math.max(0, findPosition('before', before, items) - limit);
  const end = !after && before ? findPosition('before', before, items) : start + limit;
  const entries = items.slice(start, end);
  const [first, last] = [entries[0], entries.at(-1)];
  if (!first || !last) return { entries, paging: undefined };
  const cursors = { before: toCursor(first), after: toCursor(last) };
  return {
    entries,
    paging: {
      cursors,
      ...(last !== items.at(-1) && { next: buildPageUrl(request, { after: cursors.after }) }),
      ...(first !== items[0] && { previous: buildPageUrl(request, { before: cursors.before }) }),
    },
  };
}

export function pageAnswer<T extends Identified>(
  request: FastifyRequest,
  query: Parameters<typeof cutPage>[1] & { fields?: string },
  items: readonly T[],
) {
  const { entries, paging } = cutPage(request, query, items);
  return { data: entries.map((entry) => pickFields(entry, query.fields)), ...(paging && { paging }) };
}

export function pickFields<T extends Identified>(entry: T, fields: string | undefined): Partial<T> {
  const names = parseFieldNames(fields);
  if (!names) return entry;
  return Object.fromEntries(Object.entries(entry).filter(([name]) => name === 'id' || names.has(name))) as Partial<T>;
}

/** Null means all fields. */
export function parseFieldNames(fields: string | undefined): ReadonlySet<string> | null {
  return fields ? new Set(fields.split(',').map((name) => name.trim())) : null;
}

function toCursor({ id }: Identified): string {
  return Buffer.from(id).toString('base64url');
}

function findPosition(field: string, cursorText: string, items: readonly Identified[]): number {
  const id = Buffer.from(cursorText, 'base64url').toString('utf8');
  const position = items.findIndex((item) => item.id === id);
  if (position === -1) throw invalidField(field, 'is not a cursor of this list');
  return position;
}

/** If the query contained a token, the URL of the next page repeats the token, because some clients send no token header. */
function buildPageUrl(request: FastifyRequest, cursors: { after: string } | { before: string }): string {
  const path = request.url.split('?', 1)[0];
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(request.query as Record<string, unknown>)) {
    if (name !== 'after' && name !== 'before' && name !== 'access_token') query.set(name, String(value));
  }
  for (const [name, value] of Object.entries(cursors)) query.set(name, value);
  const token = queryToken(request);
  if (token !== null) query.set('access_token', token);
  return `${request.protocol}://${request.host}${path}?${query}`;
}
