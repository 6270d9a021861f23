import type { QueryClient, QueryKey } from '@tanstack/react-query';

type SessionData = { operator: { id: string } } | null | undefined;

interface FollowOptions {
  sessionKey: QueryKey;
  /** Returns whether a different operator was signed in before in the same tab. */
  isOtherOperator(operatorId: string): boolean;
  /** Deletes the previous operator's data from the browser, except cached queries. */
  forgetOperator(): void;
  recheckRoute(): void;
}

/**
 * Removes the previous operator's cached queries, secrets and drafts when a different operator signs in. Returns a function
 * that stops watching.
 */
export function followSession(
  client: QueryClient,
  { sessionKey, isOtherOperator, forgetOperator, recheckRoute }: FollowOptions,
): () => void {
  const isSession = (key: QueryKey) => key.length === sessionKey.length && key[0] === sessionKey[0];
  let wasSignedIn = false;
  return client.getQueryCache().subscribe(({ type, query }) => {
    if (!isSession(query.queryKey)) return;
    if (type === 'removed') wasSignedIn = false;
    const session = query.state.data as SessionData;
    if (type !== 'updated' || session === undefined) return;
    const isOver = wasSignedIn && session === null;
    const isAnotherOperator = session !== null && isOtherOperator(session.operator.id);
    const isReplaced = wasSignedIn && isAnotherOperator;
    wasSignedIn = session !== null;
    if (isAnotherOperator) {
      forgetOperator();
      void client.resetQueries({ predicate: ({ queryKey }) => !isSession(queryKey) });
    }
    if (isOver || isReplaced) recheckRoute();
  });
}
