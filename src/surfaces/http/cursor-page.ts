import { type TProperties, Type } from '@sinclair/typebox';
import { invalidField } from '../../platform/errors/app-error.js';
import { isUuid } from '../../platform/ids.js';
import { RULE } from './validation.js';

const LIMIT = { minimum: 1, maximum: 200, default: 50 } as const;
const LIMIT_RULE = `must be an integer from ${LIMIT.minimum} to ${LIMIT.maximum}`;

/** What a query made by `pageQuery` asks for. */
export interface CursorPage {
  limit: number;
  /** Only entries older than this id; null: from the newest. */
  before: string | null;
}

/**
 * The query of a list that is read page by page, and how it is read.
 * @param next the field of the answer that leads to the next page
 */
export function cursorPages(next: string) {
  return {
    /** The query: the list's own filters, `limit` and `cursor`. */
    pageQuery: <T extends TProperties>(filters: T) =>
      Type.Object({
        ...filters,
        limit: Type.Optional(Type.Integer({ ...LIMIT, description: 'Most entries of a page.', [RULE]: LIMIT_RULE })),
        cursor: Type.Optional(
          Type.String({
            description: `\`${next}\` of the page before, with the same filters; without it, the first page.`,
          }),
        ),
      }),

    /** @throws {AppError} INVALID_REQUEST for what is no cursor */
    cursorPage: ({ limit = LIMIT.default, cursor }: { limit?: number; cursor?: string }): CursorPage => {
      if (cursor !== undefined && !isUuid(cursor)) throw invalidField('cursor', `must be ${next} of the page before`);
      return { limit, before: cursor?.toLowerCase() ?? null };
    },
  };
}
