const KEY = 'heliograph account';

let last: string | null = null;

/** The navigation on installation pages leads back to this account. */
export function recordAccount(accountId: string): void {
  if (last === accountId) return;
  last = accountId;
  try {
    localStorage.setItem(KEY, accountId);
  } catch {
    // Kept in memory only.
  }
}

/** The account viewed last if the operator can still see it, or else the first one. */
export function accountToShow(accounts: readonly { id: string }[]): string | undefined {
  let lastId = last;
  try {
    lastId ??= localStorage.getItem(KEY);
  } catch {
    // Local storage is blocked.
  }
  return (accounts.find(({ id }) => id === lastId) ?? accounts[0])?.id;
}
