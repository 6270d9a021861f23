/** A row of a statement that moved messages: the id of one of them, or of an account that has some of them. */
export type MovedRow = { id: string; accountId: null } | { id: null; accountId: string };

/**
 * The ids of the messages among some rows.
 * @param accounts gets the ids of the accounts
 */
export function readMoved(rows: readonly MovedRow[], accounts: Set<string>): Set<string> {
  const moved = new Set<string>();
  for (const { id, accountId } of rows) {
    if (id !== null) moved.add(id);
    else accounts.add(accountId);
  }
  return moved;
}
