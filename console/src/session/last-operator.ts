/** Session storage key for the ID of the tab's last operator, which survives reloading like drafts. */
const KEY = 'heliograph operator';

let lastOperatorId: string | null = null;

/** Returns whether a different operator was signed in before in the same tab. */
export function isAnotherOperator(id: string): boolean {
  let previous = lastOperatorId;
  lastOperatorId = id;
  try {
    previous ??= sessionStorage.getItem(KEY);
    sessionStorage.setItem(KEY, id);
  } catch {
    // Kept in memory only.
  }
  return previous !== null && previous !== id;
}
