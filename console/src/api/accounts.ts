import type { Static } from '@sinclair/typebox';
import { queryOptions } from '@tanstack/react-query';
import type {
  AccountChangeBody,
  AccountSettingsData,
  CorrectionBody,
  CreditBody,
  CreditData,
  LedgerEntryData,
  NewAccountBody,
  OwnSettingsBody,
} from '../../../src/surfaces/admin/endpoints/account-settings/settings-schemas.js';
import type { AccountEntry } from '../../../src/surfaces/admin/endpoints/accounts-schemas.js';
import { call } from './call.js';
import { queryClient } from './query-client.js';
import { sessionQuery } from './session.js';

export type Account = Static<typeof AccountEntry>;
export type AccountSettings = Static<typeof AccountSettingsData>;
export type LedgerEntry = Static<typeof LedgerEntryData>;

export const accountSettingsQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['balance', accountId, 'settings'],
    queryFn: ({ signal }) => call('GET /accounts/:accountId/settings', { params: { accountId }, signal }),
  });

/** Makes an account, and lets the choice of accounts know it. */
export async function createAccount(body: Static<typeof NewAccountBody>): Promise<AccountSettings> {
  const made = await call('POST /accounts', { body });
  await changed();
  return made;
}

export async function changeAccount(accountId: string, body: Static<typeof AccountChangeBody>): Promise<void> {
  await call('PATCH /accounts/:accountId', { params: { accountId }, body });
  await changed();
}

export async function changeOwnSettings(accountId: string, body: Static<typeof OwnSettingsBody>): Promise<void> {
  await call('PATCH /accounts/:accountId/settings', { params: { accountId }, body });
  await changed();
}

export async function creditAccount(
  accountId: string,
  body: Static<typeof CreditBody>,
  idempotencyKey: string,
): Promise<Static<typeof CreditData>> {
  const credit = await call('POST /accounts/:accountId/credits', { params: { accountId }, body, idempotencyKey });
  await changed();
  return credit;
}

/** Takes back what was credited by mistake. */
export async function correctCredit(
  accountId: string,
  body: Static<typeof CorrectionBody>,
  idempotencyKey: string,
): Promise<Static<typeof CreditData>> {
  const correction = await call('POST /accounts/:accountId/credits/correct', {
    params: { accountId },
    body,
    idempotencyKey,
  });
  await changed();
  return correction;
}

/** Cancels and refunds all that an account has waiting, step by step; tells how many messages that were. */
export async function cancelWaiting(accountId: string): Promise<number> {
  let messages = 0;
  for (;;) {
    const step = await call('POST /accounts/:accountId/cancel-waiting', { params: { accountId } });
    messages += step.messages;
    if (!step.hasMore) break;
  }
  await changed();
  return messages;
}

async function changed(): Promise<void> {
  await Promise.all(
    [['accounts'], ['balance'], sessionQuery.queryKey].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
  );
}
