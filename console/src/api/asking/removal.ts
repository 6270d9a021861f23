import { partialMatchKey, type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';

export interface Removal {
  /** Begins the keys of all that is asked of the thing, and of nothing else. */
  queryKey: QueryKey;
  remove(): Promise<unknown>;
  /** Leads away from what shows the thing; not called where the person has left by then. */
  leave(): unknown;
  /** Begins the keys of the lists that held it. */
  listsKey: QueryKey;
}

/** The keys of what is being removed, and of what was, for as long as a page shows it. */
const leaving = new Set<QueryKey>();

/** Whether a query asks about a thing that is being removed. */
export const isLeaving = (queryKey: QueryKey) => [...leaving].some((key) => partialMatchKey(queryKey, key));

/**
 * Removes the thing that a page shows. Its queries rest from before the server is asked until the page is gone: the server
 * says that things are stale before it answers, and a page is drawn until the next one has come, so that it would ask
 * for what is there no more. When the server refuses, they go on.
 * @throws {ApiError} what `remove` throws
 */
export function useRemoval(): (removal: Removal) => Promise<void> {
  const client = useQueryClient();
  return (removal) => removeThing(client, removal);
}

async function removeThing(client: QueryClient, { queryKey, remove, leave, listsKey }: Removal): Promise<void> {
  leaving.add(queryKey);
  await client.cancelQueries({ queryKey });
  // A query that looks again and again ends its timer when something of it changes.
  await client.invalidateQueries({ queryKey, refetchType: 'none' });
  try {
    await remove();
  } catch (error) {
    leaving.delete(queryKey);
    void client.invalidateQueries({ queryKey });
    throw error;
  }
  const isGone = () => client.getQueryCache().findAll({ queryKey, type: 'all' }).every(isUnseen);
  if (!isGone()) await leave();
  forgetWhen(isGone, client, queryKey);
  await client.invalidateQueries({ queryKey: listsKey });
}

const isUnseen = (query: { getObserversCount(): number }) => query.getObserversCount() === 0;

function forgetWhen(isGone: () => boolean, client: QueryClient, queryKey: QueryKey): void {
  const forget = () => {
    if (!isGone()) return;
    stop();
    client.removeQueries({ queryKey });
    leaving.delete(queryKey);
  };
  const stop = client.getQueryCache().subscribe(forget);
  forget();
}
