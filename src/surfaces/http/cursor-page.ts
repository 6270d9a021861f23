import { type TProperties, Type } from '@sinclair/typebox';
import { invalidField } from '../../platform/errors/app-error.js';
import { isUuid } from '../../platform/ids.js';
import { RULE } from './validation.js';

const LIMIT = { minimum: 1, maximum: 200, default: 50 } as const;
const LIMIT_RULE = `must be an integer from ${LIMIT.minimum} to ${LIMIT.maximum}`;

export interface CursorPage {
  limit: number;
  /** Only entries older than this ID are listed, or all entries if the ID is null. */
  before: string | null;
}

/** @param next name of the response field that holds the cursor of the next page */
export function cursorPages(next: string) {
  return {
    pageQuery: <T extends TProperties>(filters: T) =>
      Type.Object({
        ...filters,
        limit: Type.Optional(
          Type.Integer({ ...LIMIT, description: 'Maximum number of entries per page.', [RULE]: LIMIT_RULE }),
        ),
        cursor: Type.Optional(
          Type.String({
            description: `\`${next}\` of the previous page, with the same filters. Without it, the first page is returned.`,
          }),
        ),
      }),

    /** @throws {AppError} INVALID_REQUEST for an invalid cursor */
    cursorPage: ({ limit = LIMIT.default, cursor }: { limit?: number; cursor?: string }): CursorPage => {
      if (cursor !== undefined && !isUuid(cursor)) throw invalidField('cursor', `must be ${next} of the previous page`);
      return { limit, before: cursor?.toLowerCase() ?? null };
    },
  };
}
