import { type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { FIELDS_FILTER_RULE } from '../../features/contacts/custom/filter.js';
import { RULE } from '../http/validation.js';
import { ok } from './answers.js';

const LIMIT = { minimum: 1, maximum: 1000, default: 50 } as const;
/** The maximum offset is the limit of PostgreSQL's `integer`, which is larger than any list. */
const OFFSET = { minimum: 0, maximum: 2_147_483_647, default: 0 } as const;

export function listQuery<T extends TProperties>(filters: T) {
  return Type.Object({
    ...filters,
    limit: Type.Optional(
      Type.Integer({
        ...LIMIT,
        description: 'Maximum number of entries.',
        [RULE]: 'must be an integer from 1 to 1000',
      }),
    ),
    offset: Type.Optional(
      Type.Integer({
        ...OFFSET,
        description: 'Number of entries to skip.',
        [RULE]: `must be an integer from 0 to ${OFFSET.maximum}`,
      }),
    ),
  });
}

export const Search = Type.String({
  description:
    'Part of the name, the number or the e-mail address; upper and lower case are not distinguished. A number may contain a plus sign, ' +
    'spaces, hyphens, dots, slashes and parentheses.',
});

export const TagsFilter = Type.String({
  description: 'Only contacts with all of these tags, separated by commas.',
  examples: ['vip,newsletter'],
});

export const AudienceFilter = Type.String({
  description: 'Only contacts in this audience. An unknown audience has no contacts.',
});

export const FieldsFilter = Type.String({
  description: 'Only contacts with all of these field values, as a JSON object.',
  examples: ['{"plan":"pro"}'],
  [RULE]: FIELDS_FILTER_RULE,
});

interface Page {
  limit: number;
  offset: number;
}

export function readPage(query: Partial<Page>): Page {
  return { limit: query.limit ?? LIMIT.default, offset: query.offset ?? OFFSET.default };
}

export function listData<K extends string, T extends TSchema>(plural: K, entry: T) {
  return Type.Object({
    ...({ [plural]: Type.Array(entry) } as Record<K, ReturnType<typeof Type.Array<T>>>),
    total: Type.Integer({ description: 'Entries on all pages.' }),
    limit: Type.Integer(),
    offset: Type.Integer(),
  });
}

export function list<K extends string, T extends TSchema>(plural: K, entry: T) {
  return { querystring: listQuery({}), data: listData(plural, entry) };
}

export function listByStatus<K extends string, T extends TSchema>(plural: K, entry: T, example: string) {
  const description = 'In upper or lower case; an unknown status matches nothing.';
  const status = Type.Optional(Type.String({ description, examples: [example] }));
  return { querystring: listQuery({ status }), data: listData(plural, entry) };
}

interface PageByStatus extends Page {
  status: string | undefined;
}

/** @param find returns the entries of the page (under the name `plural`) and the total */
export async function answerList<K extends string, Entry, Listed>(
  query: Partial<PageByStatus>,
  plural: K,
  find: (page: PageByStatus) => Promise<{ total: number } & Record<K, readonly Entry[]>>,
  toRecord: (entry: Entry) => Listed,
) {
  const page = readPage(query);
  const { total, [plural]: entries } = await find({ status: query.status, ...page });
  return ok({ ...({ [plural]: entries.map(toRecord) } as Record<K, Listed[]>), total, ...page });
}
