import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from '../../browser/search.js';
import { callAnyPage, type Entry, type PageKey, type PathAndQuery, type UntypedOptions } from './call.js';
import { keepPreviousWithin } from './keep-previous.js';

export interface KeyPages<T> {
  rows: T[] | undefined;
  total: number | undefined;
  error: unknown;
  /** Whether the rows still belong to the previous page or filter. */
  isPlaceholder: boolean;
  refetch(): void;
  next: (() => void) | null;
  previous: (() => void) | null;
  first: (() => void) | null;
}

interface CommonOptions<Key extends PageKey> {
  /** Query key that starts with a topic and an account, like every query key. */
  queryKey: readonly unknown[];
  endpoint: Key;
  /** Rows per page, by default 50. */
  limit?: number;
  /** Milliseconds between refetches, or false to refetch the rows only when they become stale. */
  pollInterval?: (rows: readonly Entry<Key>[]) => number | false;
}

type KeyPagesOptions<Key extends PageKey> = CommonOptions<Key> & PathAndQuery<Key>;

/** Pages through a list with a cursor that is stored in the URL. */
export function useKeyPages<Key extends PageKey>(options: KeyPagesOptions<Key>): KeyPages<Entry<Key>> {
  const {
    queryKey,
    endpoint,
    params: path,
    query = {},
    limit = 50,
    pollInterval,
  } = options as CommonOptions<Key> & UntypedOptions;
  const [params, setParams] = useSearchParams();
  const { cursor } = params;
  const [visited, setVisited] = useState<(string | undefined)[]>([]);
  const result = useQuery({
    queryKey: [...queryKey, { ...query, limit, cursor }],
    queryFn: ({ signal }) =>
      callAnyPage<Entry<Key>>(endpoint, { params: path, query: { ...query, limit, cursor }, signal }),
    ...keepPreviousWithin([endpoint, path]),
    refetchInterval: ({ state: { data } }) => (data && pollInterval?.(data.data)) ?? false,
  });
  const { data } = result;
  const next = data?.next;
  const goTo = (target: string | undefined, cursors: (string | undefined)[]) => {
    setVisited(cursors);
    setParams({ cursor: target });
  };
  return {
    rows: data?.data,
    total: data?.total,
    error: result.error,
    isPlaceholder: result.isPlaceholderData,
    refetch: () => void result.refetch(),
    next: next ? () => goTo(next, [...visited, cursor]) : null,
    previous: cursor && visited.length > 0 ? () => goTo(visited.at(-1), visited.slice(0, -1)) : null,
    first: cursor ? () => goTo(undefined, []) : null,
  };
}
