import type { QueryClient, QueryKey } from '@tanstack/react-query';

type Known = { operator: { id: string } } | null | undefined;

interface Followed {
  /** Key of the session query. */
  sessionKey: QueryKey;
  /** Whether a different operator was signed in before in this tab. */
  isAnother(operatorId: string): boolean;
  /** Deletes the previous operator's data from the browser, except cached queries. */
  forget(): void;
  /** Makes the router check again who may see the current page. */
  recheckRoute(): void;
}

/**
 * Watches every result of the session query. When the session ends, it leads to the sign-in page. When a different operator
 * signs in, it removes the previous operator's cached queries, secrets and drafts.
 * @returns a function that stops watching
 */
export function followSession(
  client: QueryClient,
  { sessionKey, isAnother, forget, recheckRoute }: Followed,
): () => void {
  const isSession = (key: QueryKey) => key.length === sessionKey.length && key[0] === sessionKey[0];
  let wasSignedIn = false;
  return client.getQueryCache().subscribe(({ type, query }) => {
    if (!isSession(query.queryKey)) return;
    if (type === 'removed') wasSignedIn = false;
    const session = query.state.data as Known;
    if (type !== 'updated' || session === undefined) return;
    const isOver = wasSignedIn && session === null;
    const isAnotherOperator = session !== null && isAnother(session.operator.id);
    const isReplaced = wasSignedIn && isAnotherOperator;
    wasSignedIn = session !== null;
    if (isAnotherOperator) {
      forget();
      // Refetches queries in use and drops the others.
      void client.resetQueries({ predicate: ({ queryKey }) => !isSession(queryKey) });
    }
    if (isOver || isReplaced) recheckRoute();
  });
}
