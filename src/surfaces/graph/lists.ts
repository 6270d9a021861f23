import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { invalidField } from '../../platform/errors/app-error.js';
import { RULE } from '../http/validation.js';
import { queryToken } from './token-auth.js';

const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 1000;

/** Which fields an answer is to have: names, separated by commas. */
export const Fields = Type.Optional(
  Type.String({
    maxLength: 2048,
    description: 'Names of fields, separated by commas; `id` is always there. Those that are not known are left out.',
    examples: ['id,name,status'],
    [RULE]: 'must be a text of at most 2048 characters',
  }),
);

const cursor = (which: string) =>
  Type.Optional(Type.String({ maxLength: 64, description: `The cursor \`${which}\` of another page.` }));

/** What a list is asked for by pages. */
export const PageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_LIMIT,
      default: DEFAULT_LIMIT,
      description: 'Most entries of a page.',
      [RULE]: `must be an integer from 1 to ${MAX_LIMIT}`,
    }),
  ),
  after: cursor('after'),
  before: cursor('before'),
};

export const Paging = Type.Object({
  cursors: Type.Object({ before: Type.String(), after: Type.String() }),
  next: Type.Optional(Type.String({ description: 'The address of the next page; left out on the last.' })),
  previous: Type.Optional(Type.String({ description: 'The address of the page before; left out on the first.' })),
});

interface Identified {
  id: string;
}

/**
 * The page of a list that a query asks for. A cursor names an entry by its id, so that a page stays where it was when
 * entries come before it.
 * @throws {AppError} INVALID_REQUEST for a cursor of nothing
 */
export function pageOf<T extends Identified>(
  request: FastifyRequest,
  { limit = DEFAULT_LIMIT, after, before }: { limit?: number; after?: string; before?: string },
  all: readonly T[],
) {
  let start = 0;
  if (after) start = placeOf('after', after, all) + 1;
  else if (before) start = Math.max(0, placeOf('before', before, all) - limit);
  const end = !after && before ? placeOf('before', before, all) : start + limit;
  const entries = all.slice(start, end);
  const [first, last] = [entries[0], entries.at(-1)];
  if (!first || !last) return { entries, paging: undefined };
  const cursors = { before: cursorOf(first), after: cursorOf(last) };
  return {
    entries,
    paging: {
      cursors,
      ...(last !== all.at(-1) && { next: pageUrl(request, { after: cursors.after }) }),
      ...(first !== all[0] && { previous: pageUrl(request, { before: cursors.before }) }),
    },
  };
}

/**
 * The answer of a list: the page that the query asks for, with those fields of each entry that it names.
 * @throws {AppError} INVALID_REQUEST for a cursor of nothing
 */
export function pageAnswer<T extends Identified>(
  request: FastifyRequest,
  query: Parameters<typeof pageOf>[1] & { fields?: string },
  all: readonly T[],
) {
  const { entries, paging } = pageOf(request, query, all);
  return { data: entries.map((entry) => chosenFields(entry, query.fields)), ...(paging && { paging }) };
}

/** The fields of an entry that a query names; all, where it names none. */
export function chosenFields<T extends Identified>(entry: T, fields: string | undefined): Partial<T> {
  const names = fieldNames(fields);
  if (!names) return entry;
  return Object.fromEntries(Object.entries(entry).filter(([name]) => name === 'id' || names.has(name))) as Partial<T>;
}

/** The names in a query for fields; null where it names none, and so all. */
export function fieldNames(fields: string | undefined): ReadonlySet<string> | null {
  return fields ? new Set(fields.split(',').map((each) => each.trim())) : null;
}

function cursorOf({ id }: Identified): string {
  return Buffer.from(id).toString('base64url');
}

function placeOf(field: string, cursorText: string, all: readonly Identified[]): number {
  const id = Buffer.from(cursorText, 'base64url').toString('utf8');
  const place = all.findIndex((each) => each.id === id);
  if (place === -1) throw invalidField(field, 'is no cursor of this list');
  return place;
}

/** Clients follow these addresses as they are, some without a header: so a token of the query stands in them again. */
function pageUrl(request: FastifyRequest, cursors: { after: string } | { before: string }): string {
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
