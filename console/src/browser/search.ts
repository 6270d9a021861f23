import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

export type SearchParams = Readonly<Record<string, string | undefined>>;

/** Keeps every value a string, unlike the router's own parser, because a phone number must not become a number. */
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
  /** Whether to replace the current history entry, so that, for example, not every keystroke adds an entry. */
  replace?: boolean;
}

/**
 * Reads the page's filters from the query parameters. If a filter other than `cursor` is changed, the list returns to its first
 * page.
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
