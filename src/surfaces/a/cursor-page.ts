import { type TSchema, Type } from '@sinclair/typebox';
import { cursorPages } from '../http/cursor-page.js';

export const { pageQuery, cursorPage } = cursorPages('next_cursor');

export function pageAnswer<T extends TSchema>(entry: T) {
  return Type.Object({
    status: Type.Literal('success'),
    message: Type.String({ examples: ['50 entries.'] }),
    code: Type.Integer({ examples: [200] }),
    data: Type.Array(entry),
    next_cursor: Type.Union([Type.String(), Type.Null()], {
      description: 'Pass it as `cursor` to get the next page; null on the last one.',
      examples: ['0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55'],
    }),
  });
}

export function answerPage<T>(data: T[], nextCursor: string | null) {
  const message = data.length === 1 ? '1 entry.' : `${data.length} entries.`;
  return { status: 'success' as const, message, code: 200, data, next_cursor: nextCursor };
}
