import type { QueryClient } from '@tanstack/react-query';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { isVisible, onVisibility } from '../../browser/visibility.js';
import { buildSearch, isGone } from './request.js';

/** Milliseconds between refetches while the stream is unavailable. */
const POLL_MS = 2_000;
const RETRY_MS = 15_000;
/** Topics that the live stream never invalidates, and that are therefore not polled without it either. */
const UNPOLLED_TOPICS: ReadonlySet<unknown> = new Set(['session', 'openapi']);

/**
 * Keeps queries up to date while the component is mounted. The server names stale topics in an event stream, and queries whose
 * key starts with such a topic are refetched. A hidden tab closes its stream, because six HTTP/1.1 streams would block all
 * other requests to the server. When a hidden tab is shown again, it refetches everything.
 * @param accountId account, or null on installation pages
 */
export function useLive(accountId: string | null): void {
  const client = useQueryClient();
  useEffect(() => subscribeToChanges(client, accountId), [client, accountId]);
}

function subscribeToChanges(client: QueryClient, accountId: string | null): () => void {
  let source: EventSource | null = null;
  let pollTimer: ReturnType<typeof setInterval> | undefined;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let mayHaveMissedEvents = false;

  const refetch = (isStale: (topic: unknown) => boolean) =>
    void client.invalidateQueries({
      // Items that no longer exist are not refetched, because IDs are never reused.
      predicate: ({ queryKey: [topic, owner], state }) =>
        !isGone(state.error) && isStale(topic) && (owner === accountId || owner === null || owner === undefined),
    });
  const startPolling = () => {
    mayHaveMissedEvents = true;
    pollTimer ??= setInterval(() => refetch((topic) => !UNPOLLED_TOPICS.has(topic)), POLL_MS);
  };
  const openStream = () => {
    source = new EventSource(`/admin/v1/live${buildSearch({ accountId })}`);
    source.addEventListener('open', () => {
      clearInterval(pollTimer);
      pollTimer = undefined;
      if (mayHaveMissedEvents) refetch((topic) => !UNPOLLED_TOPICS.has(topic));
      mayHaveMissedEvents = false;
    });
    source.addEventListener('stale', (event: MessageEvent<string>) => {
      const { topics } = JSON.parse(event.data) as { topics: string[] };
      const isEverything = topics.includes('*');
      refetch((topic) => (isEverything ? !UNPOLLED_TOPICS.has(topic) : topics.includes(String(topic))));
    });
    source.addEventListener('error', () => {
      startPolling();
      // The browser reconnects automatically, unless the server refused the stream.
      if (source?.readyState === EventSource.CLOSED) retryTimer = setTimeout(openStream, RETRY_MS);
    });
  };
  const closeStream = () => {
    source?.close();
    clearInterval(pollTimer);
    pollTimer = undefined;
    clearTimeout(retryTimer);
    mayHaveMissedEvents = true;
  };
  const openOrClose = () => {
    closeStream();
    if (isVisible()) openStream();
  };
  if (isVisible()) openStream();
  const stopWatching = onVisibility(openOrClose);
  return () => {
    stopWatching();
    closeStream();
  };
}
