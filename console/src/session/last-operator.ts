/** Where this tab keeps who was signed in last: an id, which outlives reloading, as drafts do. */
const KEY = 'heliograph operator';

let last: string | null = null;

/** Notes who is signed in, and tells whether that is somebody else than before in this tab. */
export function isAnotherOperator(id: string): boolean {
  let before = last;
  last = id;
  try {
    before ??= sessionStorage.getItem(KEY);
    sessionStorage.setItem(KEY, id);
  } catch {
    // This page knows it.
  }
  return before !== null && before !== id;
}
