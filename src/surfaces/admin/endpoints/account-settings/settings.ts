import { setLowBalance, setRateCard, setSenderIds, switchAccount } from '../../../../accounts/account-settings.js';
import { createAccount, creditAccount, lockedAccount, requireAccount } from '../../../../accounts/accounts.js';
import { changeOf } from '../../../../accounts/audit/change-of.js';
import { formatMoney, parseAmount } from '../../../../accounts/money.js';
import type { SeenAccount } from '../../../../accounts/operators/accounts-seen.js';
import { ok } from '../../answers.js';
import { type Endpoints, endpoint } from '../../endpoint.js';
import { accountOf } from '../../session-auth.js';
import { AccountPath } from '../accounts-schemas.js';
import {
  AccountChangeBody,
  AccountSettingsData,
  CreditBody,
  CreditData,
  NewAccountBody,
  OwnSettingsBody,
} from './settings-schemas.js';

/** Accounts as the operators of the installation make and change them, and what its owners set of one. */
export const accountSettingsEndpoints: Endpoints<object> = async (app) => {
  app.post(
    '/accounts',
    endpoint({
      needs: 'owner',
      of: 'installation',
      operationId: 'consoleCreateAccount',
      summary: 'Make an account without credit',
      body: NewAccountBody,
      data: AccountSettingsData,
      errors: [404],
    }),
    async (request) => {
      const { name, rateCard } = request.body;
      const made = await request.change(async ({ prisma }) => {
        const result = await createAccount(prisma, { name, rateCardId: rateCard });
        const after = { name: result.name, rateCard: result.rateCardId, currency: result.currency };
        return { result, told: { action: 'account.create', subject: result.id, accountId: result.id, after } };
      });
      return ok(view(made));
    },
  );

  app.get(
    '/accounts/:accountId/settings',
    endpoint({
      needs: 'viewer',
      of: 'account',
      operationId: 'consoleGetAccountSettings',
      summary: 'Show what is set of an account',
      params: AccountPath,
      data: AccountSettingsData,
    }),
    async (request) => ok(view(accountOf(request))),
  );

  app.patch(
    '/accounts/:accountId/settings',
    endpoint({
      needs: 'owner',
      of: 'account',
      operationId: 'consoleChangeAccountSettings',
      summary: 'Set below which balance the webhooks of the account are told',
      params: AccountPath,
      body: OwnSettingsBody,
      data: AccountSettingsData,
    }),
    async (request) => {
      const { id } = accountOf(request);
      const { lowBalance } = request.body;
      const threshold = lowBalance === null ? null : parseAmount('lowBalance', lowBalance);
      return request.change(async ({ prisma }) => {
        const was = view(await lockedAccount(prisma, id));
        await setLowBalance(prisma, id, threshold);
        const now = view(await requireAccount(prisma, id));
        return { result: ok(now), told: changeOf('account.lowBalance', id, was, now) };
      });
    },
  );

  app.patch(
    '/accounts/:accountId',
    endpoint({
      needs: 'owner',
      of: 'installation',
      operationId: 'consoleChangeAccount',
      summary: 'Switch an account on or off, or set its sender IDs or rate card',
      description: 'Running servers go by it within seconds. What is left out stays.',
      params: AccountPath,
      body: AccountChangeBody,
      data: AccountSettingsData,
    }),
    async (request) => {
      const { id } = accountOf(request);
      const { isActive, senderIds, rateCard } = request.body;
      return request.change(async ({ prisma }) => {
        const was = view(await lockedAccount(prisma, id));
        if (senderIds !== undefined) await setSenderIds(prisma, id, senderIds);
        if (rateCard !== undefined) await setRateCard(prisma, id, rateCard);
        if (isActive !== undefined) await switchAccount(prisma, id, isActive);
        const now = view(await requireAccount(prisma, id));
        return { result: ok(now), told: changeOf('account.change', id, was, now) };
      });
    },
  );

  app.post(
    '/accounts/:accountId/credits',
    endpoint({
      needs: 'owner',
      of: 'installation',
      operationId: 'consoleCreditAccount',
      summary: 'Add to the balance of an account',
      params: AccountPath,
      body: CreditBody,
      data: CreditData,
    }),
    async (request) => {
      const { id: accountId } = accountOf(request);
      const { amount, note } = request.body;
      const amountMicros = parseAmount('amount', amount);
      return request.change(async ({ prisma }) => {
        const credit = await creditAccount(prisma, { accountId, amountMicros, note: note?.trim() || undefined });
        const made = {
          ledgerEntryId: credit.ledgerEntryId,
          amount: formatMoney(credit.amountMicros),
          balance: formatMoney(credit.balanceAfterMicros),
          currency: credit.currency,
        };
        const after = { ...made, note: note ?? null };
        return { result: ok(made), told: { action: 'account.credit', subject: accountId, after } };
      });
    },
  );
};

function view(account: SeenAccount) {
  const { id, name, currency, balanceMicros, rateCardId, isActive, lowBalanceMicros, senderIds, createdAt } = account;
  return {
    id,
    name,
    currency,
    balance: formatMoney(balanceMicros),
    rateCard: rateCardId,
    isActive,
    lowBalance: lowBalanceMicros === null ? null : formatMoney(lowBalanceMicros),
    senderIds,
    createdAt: createdAt.toISOString(),
  };
}
