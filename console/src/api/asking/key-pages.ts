import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from '../../browser/search.js';
import { type Entry, type PageKey, pageOf, type Untyped, type Where } from './call.js';
import { keptWithin } from './kept-within.js';

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

interface Common<Key extends PageKey> {
  /** Topic and account first, as for every query. */
  queryKey: readonly unknown[];
  /** Of the list; its `params` and `query` are the endpoint's. When a filter of `query` changes the list begins anew. */
  endpoint: Key;
  /** Rows of a page; 50 unless told. */
  limit?: number;
  /** Milliseconds until the shown rows are looked at again; false: not before they are stale. */
  lookAgain?: (rows: readonly Entry<Key>[]) => number | false;
}

/** What of a list is asked for: `params` and `query` are as its contract has them. */
type KeyPagesOptions<Key extends PageKey> = Common<Key> & Where<Key>;

/** A list that is paged by key. The page that is shown stands in the address. */
export function useKeyPages<Key extends PageKey>(options: KeyPagesOptions<Key>): KeyPages<Entry<Key>> {
  const { queryKey, endpoint, params: path, query = {}, limit = 50, lookAgain } = options as Common<Key> & Untyped;
  const [params, setParams] = useSearchParams();
  const { cursor } = params;
  // The cursors of the pages before, as far as this visit saw them; the first page has none.
  const [before, setBefore] = useState<(string | undefined)[]>([]);
  const result = useQuery({
    queryKey: [...queryKey, { ...query, limit, cursor }],
    queryFn: ({ signal }) => pageOf<Entry<Key>>(endpoint, { params: path, query: { ...query, limit, cursor }, signal }),
    ...keptWithin([endpoint, path]),
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
