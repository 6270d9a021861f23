import type { QueryClient, QueryKey } from '@tanstack/react-query';

type Known = { operator: { id: string } } | null | undefined;

interface Followed {
  /** Of the question who is signed in. */
  sessionKey: QueryKey;
  /** Whether somebody else was signed in in this tab before. */
  isAnother(operatorId: string): boolean;
  /** Forgets what the browser keeps for whoever was signed in, beside answers. */
  forget(): void;
  /** Has the router ask again who may see the page that is shown. */
  lookAgain(): void;
}

/**
 * Looks at every answer to the question who is signed in, whoever asked it. When a session has ended the pages behind the
 * sign-in are left; and who signs in in a tab after somebody else finds nothing of theirs: no answer, no secret, no draft.
 * @returns ends it
 */
export function followSession(client: QueryClient, { sessionKey, isAnother, forget, lookAgain }: Followed): () => void {
  const isSession = (key: QueryKey) => key.length === sessionKey.length && key[0] === sessionKey[0];
  let wasSignedIn = false;
  return client.getQueryCache().subscribe(({ type, query }) => {
    if (!isSession(query.queryKey)) return;
    if (type === 'removed') wasSignedIn = false;
    const session = query.state.data as Known;
    if (type !== 'updated' || session === undefined) return;
    const isOver = wasSignedIn && session === null;
    const isInstead = session !== null && isAnother(session.operator.id);
    const hasTakenItsPlace = wasSignedIn && isInstead;
    wasSignedIn = session !== null;
    if (isInstead) {
      forget();
      // What is shown is asked for anew, and everything else is gone.
      void client.resetQueries({ predicate: ({ queryKey }) => !isSession(queryKey) });
    }
    if (isOver || hasTakenItsPlace) lookAgain();
  });
}
