import { partialMatchKey, type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';

export interface Removal {
  queryKey: QueryKey;
  remove(): Promise<unknown>;
  /** Navigates away from the item's page; not called if the operator has already left it. */
  leave(): unknown;
  listsKey: QueryKey;
}

/** Keys of items that are being removed, or were removed while a page still shows them. */
const removedKeys = new Set<QueryKey>();

export const isBeingRemoved = (queryKey: QueryKey) => [...removedKeys].some((key) => partialMatchKey(queryKey, key));

/**
 * Removes the item that a page shows. Its queries are disabled until the page is closed: the live stream marks them stale
 * before the page is replaced, and refetching a removed item would fail with 404. They resume if the server refuses.
 * @throws {ApiError} the error of `remove`
 */
export function useRemoval(): (removal: Removal) => Promise<void> {
  const client = useQueryClient();
  return (removal) => removeItem(client, removal);
}

async function removeItem(client: QueryClient, { queryKey, remove, leave, listsKey }: Removal): Promise<void> {
  removedKeys.add(queryKey);
  await client.cancelQueries({ queryKey });
  // A polling query stops its timer when its state changes.
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
