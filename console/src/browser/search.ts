import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

/** The part of an address after the question mark: texts only. */
export type SearchParams = Readonly<Record<string, string | undefined>>;

/** Reads it as it stands, so that a phone number stays a text. */
export function parseSearch(search: string): SearchParams {
  return Object.fromEntries(new URLSearchParams(search));
}

/** Leaves out what is empty. */
export function stringifySearch(params: Record<string, unknown>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value));
  }
  return search.size > 0 ? `?${search}` : '';
}

interface SetOptions {
  /** Whether the address takes the place of the last one in the history, as while someone types. */
  replace?: boolean;
}

/**
 * The filters of a page, which live in the address. Setting some keeps the others; undefined or an empty text removes
 * one. A changed filter that is not `cursor` goes back to the first page.
 */
export function useSearchParams(): [params: SearchParams, set: (changes: SearchParams, options?: SetOptions) => void] {
  const params = useSearch({ strict: false }) as SearchParams;
  const navigate = useNavigate();
  const set = useCallback(
    (changes: SearchParams, { replace = false }: SetOptions = {}) =>
      void navigate({
        to: '.',
        search: (last: SearchParams) => ({
          ...last,
          ...('cursor' in changes ? {} : { cursor: undefined }),
          ...changes,
        }),
        replace,
        resetScroll: false,
      }),
    [navigate],
  );
  return [params, set];
}
