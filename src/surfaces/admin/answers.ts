import { type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { type CursorPage, cursorPages } from '../http/cursor-page.js';

export const { pageQuery, cursorPage } = cursorPages('next');

/** The answer schema of a success: `{ data }`. */
export function answer<T extends TSchema>(data: T) {
  return Type.Object({ data }, { description: 'Done.' });
}

/** A success in the shape of `answer`. */
export function ok<T>(data: T): { data: T } {
  return { data };
}

/** For endpoints whose answer contains no data. */
export const DoneData = Type.Object({ done: Type.Literal(true) });

export function done() {
  return ok({ done: true as const });
}

/** The answer schema of a paged list: `{ data: […], next }`, and further fields such as `total`. */
export function pageAnswer<T extends TSchema, M extends TProperties>(entry: T, more: M) {
  return Type.Object(
    {
      data: Type.Array(entry),
      next: Type.Union([Type.String(), Type.Null()], {
        description: 'Pass it as `cursor` to get the next page; null on the last one.',
        examples: ['0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55'],
      }),
      ...more,
    },
    { description: 'A page.' },
  );
}

/** A page in the shape of `pageAnswer`. */
export function page<T>(data: T[], next: string | null): { data: T[]; next: string | null } {
  return { data, next };
}

/** Requests one entry more than the page has, so that `cut` can detect a next page. */
export function oneMore({ limit, before }: CursorPage): CursorPage {
  return { limit: limit + 1, before };
}

/** Cuts the result of a query with `oneMore` to a page. */
export function cut<T extends { id: string }>(rows: T[], { limit }: CursorPage) {
  const data = rows.slice(0, limit);
  return page(data, rows.length > limit ? (data.at(-1)?.id ?? null) : null);
}
