import { partialMatchKey, type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';

export interface Removal {
  queryKey: QueryKey;
  remove(): Promise<unknown>;
  /** Navigates away from the removed item's page, unless the operator has already left the page. */
  leave(): unknown;
  listsKey: QueryKey;
}

/** Query keys of items that are being removed, and of removed items that a page still shows. */
const removedKeys = new Set<QueryKey>();

export const isBeingRemoved = (queryKey: QueryKey) => [...removedKeys].some((key) => partialMatchKey(queryKey, key));

/**
 * Removes the item that a page shows. The item's queries are disabled until the page is closed, because refetching a removed
 * item would fail with 404. The queries resume if the server refuses the removal.
 * @throws {ApiError} the error of `remove`
 */
export function useRemoval(): (removal: Removal) => Promise<void> {
  const client = useQueryClient();
  return (removal) => removeItem(client, removal);
}

async function removeItem(client: QueryClient, { queryKey, remove, leave, listsKey }: Removal): Promise<void> {
  removedKeys.add(queryKey);
  await client.cancelQueries({ queryKey });
  // Invalidating a disabled query also stops its polling, because the query's timer stops at the next change of state.
  await client.invalidateQueries({ queryKey, refetchType: 'none' });
  try {
    await remove();
  } catch (error) {
    removedKeys.delete(queryKey);
    void client.invalidateQueries({ queryKey });
    throw error;
  }
  const isGone = () => client.getQueryCache().findAll({ queryKey, type: 'all' }).every(isUnobserved);
  if (!isGone()) await leave();
  removeWhen(isGone, client, queryKey);
  await client.invalidateQueries({ queryKey: listsKey });
}

const isUnobserved = (query: { getObserversCount(): number }) => query.getObserversCount() === 0;

function removeWhen(isGone: () => boolean, client: QueryClient, queryKey: QueryKey): void {
  const forgetKey = () => {
    if (!isGone()) return;
    stop();
    client.removeQueries({ queryKey });
    removedKeys.delete(queryKey);
  };
  const stop = client.getQueryCache().subscribe(forgetKey);
  forgetKey();
}
