import type { QueryClient } from '@tanstack/react-query';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { isVisible, onVisibility } from '../../browser/visibility.js';
import { isGone, searchOf } from './request.js';

/** Milliseconds between two looks where the stream does not come through. */
const POLL_MS = 2_000;
/** Milliseconds after which a stream that the server refused is tried again. */
const RETRY_MS = 15_000;
/** What the stream never makes stale, and what is therefore not looked at again and again either. */
const STEADY: ReadonlySet<unknown> = new Set(['session', 'openapi']);

/**
 * Keeps the queries of an account fresh for as long as the component lives: one stream a page. The server names the
 * topics that are stale, and the queries whose key begins with one are asked again. A hidden tab has no stream, and asks for
 * everything again when it is shown: over HTTP/1.1 a browser has six connections to a server, for all tabs together, so that
 * six streams would leave none for anything else.
 * @param accountId null for the pages of the installation
 */
export function useLive(accountId: string | null): void {
  const client = useQueryClient();
  useEffect(() => follow(client, accountId), [client, accountId]);
}

function follow(client: QueryClient, accountId: string | null): () => void {
  let source: EventSource | null = null;
  let polling: ReturnType<typeof setInterval> | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  /** Whether something may have become stale that no stream told of. */
  let hasMissed = false;

  const refetch = (isStale: (topic: unknown) => boolean) =>
    void client.invalidateQueries({
      // What does not exist comes into being under another id: it is not asked for again and again.
      predicate: ({ queryKey: [topic, of], state }) =>
        !isGone(state.error) && isStale(topic) && (of === accountId || of === null || of === undefined),
    });
  const poll = () => {
    hasMissed = true;
    polling ??= setInterval(() => refetch((topic) => !STEADY.has(topic)), POLL_MS);
  };
  const open = () => {
    source = new EventSource(`/admin/v1/live${searchOf({ accountId })}`);
    source.addEventListener('open', () => {
      clearInterval(polling);
      polling = undefined;
      // What changed while the stream was away was told to nobody.
      if (hasMissed) refetch((topic) => !STEADY.has(topic));
      hasMissed = false;
    });
    source.addEventListener('stale', (event: MessageEvent<string>) => {
      const { topics } = JSON.parse(event.data) as { topics: string[] };
      const all = topics.includes('*');
      refetch((topic) => (all ? !STEADY.has(topic) : topics.includes(String(topic))));
    });
    source.addEventListener('error', () => {
      poll();
      // The browser tries again by itself, unless the server refused.
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
