/** Where this browser keeps which account was looked at last: an id, and nothing of it. */
const KEY = 'heliograph account';

/** Of the tab that is open, else of the browser. */
let last: string | null = null;

/** Notes the account of the page that is shown, so that pages of the installation lead back to it. */
export function noteAccount(accountId: string): void {
  if (last === accountId) return;
  last = accountId;
  try {
    localStorage.setItem(KEY, accountId);
  } catch {
    // This tab knows it.
  }
}

/** The account that was looked at last, of those that may be seen; else the first of them. */
export function accountToShow(accounts: readonly { id: string }[]): string | undefined {
  let noted = last;
  try {
    noted ??= localStorage.getItem(KEY);
  } catch {
    // Nothing is kept.
  }
  return (accounts.find(({ id }) => id === noted) ?? accounts[0])?.id;
}
