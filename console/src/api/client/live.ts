import type { QueryClient } from '@tanstack/react-query';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { isVisible, onVisibility } from '../../browser/visibility.js';
import { buildSearch, isGone } from './request.js';

/** Milliseconds between refetches while the stream is unavailable. */
const POLL_MS = 2_000;
const RETRY_MS = 15_000;
/** Topics that the stream never invalidates, so they are not polled either. */
const UNPOLLED_TOPICS: ReadonlySet<unknown> = new Set(['session', 'openapi']);

/**
 * Keeps queries up to date while the component is mounted. The server sends stale topics over one event stream per page, and
 * queries whose key starts with such a topic are refetched. A hidden tab closes its stream, because over HTTP/1.1 six streams
 * would block all other requests to the server. It refetches everything when it is shown again.
 * @param accountId null on installation pages
 */
export function useLive(accountId: string | null): void {
  const client = useQueryClient();
  useEffect(() => subscribeToChanges(client, accountId), [client, accountId]);
}

function subscribeToChanges(client: QueryClient, accountId: string | null): () => void {
  let source: EventSource | null = null;
  let polling: ReturnType<typeof setInterval> | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let hasMissed = false;

  const refetch = (isStale: (topic: unknown) => boolean) =>
    void client.invalidateQueries({
      // Items that do not exist are not refetched: IDs are never reused.
      predicate: ({ queryKey: [topic, owner], state }) =>
        !isGone(state.error) && isStale(topic) && (owner === accountId || owner === null || owner === undefined),
    });
  const poll = () => {
    hasMissed = true;
    polling ??= setInterval(() => refetch((topic) => !UNPOLLED_TOPICS.has(topic)), POLL_MS);
  };
  const open = () => {
    source = new EventSource(`/admin/v1/live${buildSearch({ accountId })}`);
    source.addEventListener('open', () => {
      clearInterval(polling);
      polling = undefined;
      if (hasMissed) refetch((topic) => !UNPOLLED_TOPICS.has(topic));
      hasMissed = false;
    });
    source.addEventListener('stale', (event: MessageEvent<string>) => {
      const { topics } = JSON.parse(event.data) as { topics: string[] };
      const isEverything = topics.includes('*');
      refetch((topic) => (isEverything ? !UNPOLLED_TOPICS.has(topic) : topics.includes(String(topic))));
    });
    source.addEventListener('error', () => {
      poll();
      // The browser reconnects by itself, unless the server refused.
      if (source?.readyState === EventSource.CLOSED) retry = setTimeout(open, RETRY_MS);
    });
  };
  const close = () => {
    source?.close();
    clearInterval(polling);
    polling = undefined;
    clearTimeout(retry);
    hasMissed = true;
  };
  const openOrClose = () => {
    close();
    if (isVisible()) open();
  };
  if (isVisible()) open();
  const ignore = onVisibility(openOrClose);
  return () => {
    ignore();
    close();
  };
}
