import { type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { invalidField } from '../../platform/errors/app-error.js';
import { isUuid } from '../../platform/ids.js';
import { RULE } from '../http/validation.js';

const LIMIT = { minimum: 1, maximum: 200, default: 50 } as const;
const LIMIT_RULE = `must be an integer from ${LIMIT.minimum} to ${LIMIT.maximum}`;

/** The query of a list that is read page by page: its own filters, `limit` and `cursor`. */
export function pageQuery<T extends TProperties>(filters: T) {
  return Type.Object({
    ...filters,
    limit: Type.Optional(Type.Integer({ ...LIMIT, description: 'Most entries of a page.', [RULE]: LIMIT_RULE })),
    cursor: Type.Optional(
      Type.String({
        description: '`next_cursor` of the page before, with the same filters; without it, the first page.',
      }),
    ),
  });
}

/** The answer of a list in the envelope of version 2, with the cursor of the next page. */
export function pageAnswer<T extends TSchema>(entry: T) {
  return Type.Object({
    status: Type.Literal('success'),
    message: Type.String({ examples: ['50 entries.'] }),
    code: Type.Integer({ examples: [200] }),
    data: Type.Array(entry),
    next_cursor: Type.Union([Type.String(), Type.Null()], {
      description: 'Asks for the next page; null on the last one.',
      examples: ['0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55'],
    }),
  });
}

/** What a query made by `pageQuery` asks for. */
export interface CursorPage {
  limit: number;
  /** Only entries older than this id; null: from the newest. */
  before: string | null;
}

/** @throws {AppError} INVALID_REQUEST for what is no cursor */
export function cursorPage({ limit = LIMIT.default, cursor = '' }: { limit?: number; cursor?: string }): CursorPage {
  if (cursor !== '' && !isUuid(cursor)) throw invalidField('cursor', 'must be next_cursor of the page before');
  return { limit, before: cursor === '' ? null : cursor.toLowerCase() };
}

/** A page in the shape of `pageAnswer`. */
export function answerPage<T>(data: T[], nextCursor: string | null) {
  const message = data.length === 1 ? '1 entry.' : `${data.length} entries.`;
  return { status: 'success' as const, message, code: 200, data, next_cursor: nextCursor };
}
