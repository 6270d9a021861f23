const KEY = 'heliograph account';

let lastAccountId: string | null = null;

/** Records the account that the navigation on installation pages links back to. */
export function recordAccount(accountId: string): void {
  if (lastAccountId === accountId) return;
  lastAccountId = accountId;
  try {
    localStorage.setItem(KEY, accountId);
  } catch {
    // Kept in memory only.
  }
}

/** Returns the account viewed last if the operator can still see it, or else the first account. */
export function selectAccount(accounts: readonly { id: string }[]): string | undefined {
  let lastId = lastAccountId;
  try {
    lastId ??= localStorage.getItem(KEY);
  } catch {
    // Local storage is blocked.
  }
  return (accounts.find(({ id }) => id === lastId) ?? accounts[0])?.id;
}
