import { type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { type CursorPage, cursorPages } from '../http/cursor-page.js';

export const { pageQuery, cursorPage } = cursorPages('next');

export function answer<T extends TSchema>(data: T) {
  return Type.Object({ data }, { description: 'Done.' });
}

export function ok<T>(data: T): { data: T } {
  return { data };
}

export const DoneData = Type.Object({ done: Type.Literal(true) });

export function done() {
  return ok({ done: true as const });
}

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

export function page<T>(data: T[], next: string | null): { data: T[]; next: string | null } {
  return { data, next };
}

/** Requests one entry more than fits on a page, so that `cut` can detect whether there is a next page. */
export function oneMore({ limit, before }: CursorPage): CursorPage {
  return { limit: limit + 1, before };
}

export function cut<T extends { id: string }>(rows: T[], { limit }: CursorPage) {
  const data = rows.slice(0, limit);
  return page(data, rows.length > limit ? (data.at(-1)?.id ?? null) : null);
}
