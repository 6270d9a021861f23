import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from '../app/search.js';
import { getPage, type Query } from './request.js';

/** A page of a long list, and the ways to the pages around it; `DataTable` takes it as it is. */
export interface KeyPages<T> {
  rows: T[] | undefined;
  /** How many there are in all, where the server says so. */
  total: number | undefined;
  error: unknown;
  /** Whether the rows are those of another page or filter, until the asked ones come. */
  isPlaceholder: boolean;
  refetch(): void;
  /** Null on the last page. */
  next: (() => void) | null;
  /** Null on the first page. */
  previous: (() => void) | null;
  first: (() => void) | null;
}

interface KeyPagesOptions<T> {
  /** Topic and account first, as for every query. */
  queryKey: readonly unknown[];
  path: string;
  /** Filters; when they change the list begins anew. */
  query?: Query;
  /** Rows of a page; 50 unless told. */
  limit?: number;
  /** Milliseconds until the shown rows are looked at again; false: not before they are stale. */
  lookAgain?: (rows: readonly T[]) => number | false;
}

/** A list that is paged by key. The page that is shown stands in the address. */
export function useKeyPages<T>(options: KeyPagesOptions<T>): KeyPages<T> {
  const { queryKey, path, query = {}, limit = 50, lookAgain } = options;
  const [params, setParams] = useSearchParams();
  const { cursor } = params;
  // The cursors of the pages before, as far as this visit saw them; the first page has none.
  const [before, setBefore] = useState<(string | undefined)[]>([]);
  const result = useQuery({
    queryKey: [...queryKey, { ...query, limit, cursor }],
    queryFn: ({ signal }) => getPage<T>(path, { ...query, limit, cursor }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => (data && lookAgain?.(data.data)) ?? false,
  });
  const { data } = result;
  const next = data?.next;
  const go = (to: string | undefined, seen: (string | undefined)[]) => {
    setBefore(seen);
    setParams({ cursor: to });
  };
  return {
    rows: data?.data,
    total: data?.total,
    error: result.error,
    isPlaceholder: result.isPlaceholderData,
    refetch: () => void result.refetch(),
    next: next ? () => go(next, [...before, cursor]) : null,
    previous: cursor && before.length > 0 ? () => go(before.at(-1), before.slice(0, -1)) : null,
    first: cursor ? () => go(undefined, []) : null,
  };
}
