import { type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { RULE } from '../http/validation.js';
import { ok } from './answers.js';

const LIMIT = { minimum: 1, maximum: 1000, default: 50 } as const;
/** PostgreSQL's and JSON's integers go further, but no list does. */
const OFFSET = { minimum: 0, maximum: 2_147_483_647, default: 0 } as const;

/** The query of a list: its own filters, `limit` and `offset`. Out of range is 400. */
export function listQuery<T extends TProperties>(filters: T) {
  return Type.Object({
    ...filters,
    limit: Type.Optional(
      Type.Integer({ ...LIMIT, description: 'Most entries.', [RULE]: 'must be an integer from 1 to 1000' }),
    ),
    offset: Type.Optional(
      Type.Integer({
        ...OFFSET,
        description: 'Entries to skip.',
        [RULE]: `must be an integer from 0 to ${OFFSET.maximum}`,
      }),
    ),
  });
}

/** A filter by what contacts hold. */
export const Search = Type.String({
  description:
    'A part of the name, the number or the e-mail address, in any case. A number may be written with a plus sign, ' +
    'blanks, hyphens, dots, slashes and parentheses.',
});

interface Page {
  limit: number;
  offset: number;
}

/** The page that a query made by `listQuery` asks for. */
export function pageOf(query: Partial<Page>): Page {
  return { limit: query.limit ?? LIMIT.default, offset: query.offset ?? OFFSET.default };
}

/** `{ <plural>, total, limit, offset }`, the data of a list. */
export function listData<K extends string, T extends TSchema>(plural: K, entry: T) {
  return Type.Object({
    ...({ [plural]: Type.Array(entry) } as Record<K, ReturnType<typeof Type.Array<T>>>),
    total: Type.Integer({ description: 'Entries on all pages.' }),
    limit: Type.Integer(),
    offset: Type.Integer(),
  });
}

/** Query and data of an endpoint that lists entries. */
export function list<K extends string, T extends TSchema>(plural: K, entry: T) {
  return { querystring: listQuery({}), data: listData(plural, entry) };
}

/**
 * Query and data of an endpoint that lists entries, all or those of one status.
 * @param example one of the statuses
 */
export function listByStatus<K extends string, T extends TSchema>(plural: K, entry: T, example: string) {
  const description = 'In any case; an unknown one finds none.';
  const status = Type.Optional(Type.String({ description, examples: [example] }));
  return { querystring: listQuery({ status }), data: listData(plural, entry) };
}

/** A page, of the entries of one status where the query of the list has it. */
interface PageByStatus extends Page {
  status: string | undefined;
}

/**
 * The page of a list that a query asks for, in the shape of `listData`.
 * @param find finds the entries of a page, under the name of the plural, and how many there are on all
 * @param write gives an entry the shape that the answer has
 */
export async function listOf<K extends string, Entry, Written>(
  query: Partial<PageByStatus>,
  plural: K,
  find: (page: PageByStatus) => Promise<{ total: number } & Record<K, readonly Entry[]>>,
  write: (entry: Entry) => Written,
) {
  const page = pageOf(query);
  const { total, [plural]: entries } = await find({ status: query.status, ...page });
  return ok({ ...({ [plural]: entries.map(write) } as Record<K, Written[]>), total, ...page });
}
