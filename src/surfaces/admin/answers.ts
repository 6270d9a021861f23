import { type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { type CursorPage, cursorPages } from '../http/cursor-page.js';

/** The query of a list that is read page by page (`limit`, `cursor` and filters), and what it asks for. */
export const { pageQuery, cursorPage } = cursorPages('next');

/** The answer of a success: `{ data }`. */
export function answer<T extends TSchema>(data: T) {
  return Type.Object({ data }, { description: 'Done.' });
}

/** A success in the shape of `answer`. */
export function ok<T>(data: T): { data: T } {
  return { data };
}

/** The data of an answer that says only that something was done. */
export const DoneData = Type.Object({ done: Type.Literal(true) });

/** A success whose data is `DoneData`. */
export function done() {
  return ok({ done: true as const });
}

/** The answer of a list that is read page by page: `{ data: […], next }`, with further fields such as `total`. */
export function pageAnswer<T extends TSchema, M extends TProperties>(entry: T, more: M) {
  return Type.Object(
    {
      data: Type.Array(entry),
      next: Type.Union([Type.String(), Type.Null()], {
        description: '`cursor` of the next page; null on the last one.',
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

/** What to ask for so that `cut` can tell whether there is a next page. */
export function oneMore({ limit, before }: CursorPage): CursorPage {
  return { limit: limit + 1, before };
}

/** The page of what was found with `oneMore`, in the shape of `pageAnswer`. */
export function cut<T extends { id: string }>(found: T[], { limit }: CursorPage) {
  const data = found.slice(0, limit);
  return page(data, found.length > limit ? (data.at(-1)?.id ?? null) : null);
}
