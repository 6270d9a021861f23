import { queryOptions } from '@tanstack/react-query';
import { type Body, call, type Data, type Entry } from '../client/call.js';
import { queryClient } from '../client/query-client.js';
import { sessionQuery } from '../session.js';

export type Account = Entry<'GET /accounts'>;
export type AccountSettings = Data<'GET /accounts/:accountId/settings'>;
export type LedgerEntry = Entry<'GET /accounts/:accountId/ledger'>;

export const accountSettingsQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['balance', accountId, 'settings'],
    queryFn: ({ signal }) => call('GET /accounts/:accountId/settings', { params: { accountId }, signal }),
  });

export const accountDefaultsQuery = queryOptions({
  queryKey: ['account-defaults'],
  queryFn: ({ signal }) => call('GET /account-defaults', { signal }),
});

export async function createAccount(body: Body<'POST /accounts'>): Promise<AccountSettings> {
  const created = await call('POST /accounts', { body });
  await refreshAccounts();
  return created;
}

export async function changeAccount(accountId: string, body: Body<'PATCH /accounts/:accountId'>): Promise<void> {
  await call('PATCH /accounts/:accountId', { params: { accountId }, body });
  await refreshAccounts();
}

export async function changeOwnSettings(
  accountId: string,
  body: Body<'PATCH /accounts/:accountId/settings'>,
): Promise<void> {
  await call('PATCH /accounts/:accountId/settings', { params: { accountId }, body });
  await refreshAccounts();
}

export async function creditAccount(
  accountId: string,
  body: Body<'POST /accounts/:accountId/credits'>,
  idempotencyKey: string,
): Promise<Data<'POST /accounts/:accountId/credits'>> {
  const credit = await call('POST /accounts/:accountId/credits', { params: { accountId }, body, idempotencyKey });
  await refreshAccounts();
  return credit;
}

/** Corrects a mistaken credit. */
export async function correctCredit(
  accountId: string,
  body: Body<'POST /accounts/:accountId/credits/correct'>,
  idempotencyKey: string,
): Promise<Data<'POST /accounts/:accountId/credits'>> {
  const correction = await call('POST /accounts/:accountId/credits/correct', {
    params: { accountId },
    body,
    idempotencyKey,
  });
  await refreshAccounts();
  return correction;
}

/** Cancels and refunds an account's queued messages, and returns their number. */
export async function cancelWaiting(accountId: string): Promise<number> {
  let messages = 0;
  for (;;) {
    const step = await call('POST /accounts/:accountId/cancel-waiting', { params: { accountId } });
    messages += step.messages;
    if (!step.hasMore) break;
  }
  await refreshAccounts();
  return messages;
}

async function refreshAccounts(): Promise<void> {
  await Promise.all(
    [['accounts'], ['balance'], sessionQuery.queryKey].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
  );
}
