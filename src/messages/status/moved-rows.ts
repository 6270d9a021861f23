export type MovedRow = { id: string; accountId: null } | { id: null; accountId: string };

/**
 * Returns the message IDs.
 * @param accounts receives the account IDs
 */
export function readMovedIds(rows: readonly MovedRow[], accounts: Set<string>): Set<string> {
  const ids = new Set<string>();
  for (const { id, accountId } of rows) {
    if (id !== null) ids.add(id);
    else accounts.add(accountId);
  }
  return ids;
}
