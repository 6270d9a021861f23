import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

export type SearchParams = Readonly<Record<string, string | undefined>>;

/** Unlike the router's own parser, keeps every value a string: a phone number must not become a number. */
export function parseSearch(search: string): SearchParams {
  return Object.fromEntries(new URLSearchParams(search));
}

export function stringifySearch(params: Record<string, unknown>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value));
  }
  return search.size > 0 ? `?${search}` : '';
}

interface SetOptions {
  /** Replace the current history entry, for example on each keystroke. */
  replace?: boolean;
}

/** The page's filters, which are query parameters. Changing any filter except `cursor` returns to the first page. */
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
