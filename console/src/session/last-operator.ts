/** Session storage key with the ID of the last operator in this tab. Like drafts, it survives reloading. */
const KEY = 'heliograph operator';

let lastOperatorId: string | null = null;

/** Returns whether a different operator was signed in before in this tab. */
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
