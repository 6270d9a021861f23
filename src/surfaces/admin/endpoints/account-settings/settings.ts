import { setLowBalance, setRateCard, setSenderIds, switchAccount } from '../../../../accounts/account-settings.js';
import { createAccount, creditAccount, requireAccount } from '../../../../accounts/accounts.js';
import { formatMoney, parseAmount } from '../../../../accounts/money.js';
import type { SeenAccount } from '../../../../accounts/operators/accounts-seen.js';
import { ok } from '../../answers.js';
import { type Endpoints, endpoint } from '../../endpoint.js';
import { accountOf } from '../../session-auth.js';
import { AccountPath } from '../accounts-schemas.js';
import type { CarriersOptions } from '../installation/carriers.js';
import {
  AccountChangeBody,
  AccountSettingsData,
  CreditBody,
  CreditData,
  NewAccountBody,
  OwnSettingsBody,
} from './settings-schemas.js';

/** Accounts as the operators of the installation make and change them, and what its owners set of one. */
export const accountSettingsEndpoints: Endpoints<Pick<CarriersOptions, 'prisma'>> = async (app, { prisma }) => {
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
      const made = await createAccount(prisma, { name, rateCardId: rateCard });
      const after = { name: made.name, rateCard: made.rateCardId, currency: made.currency };
      await request.audit({ action: 'account.create', subject: made.id, accountId: made.id, after });
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
      const before = accountOf(request);
      const { lowBalance } = request.body;
      await setLowBalance(prisma, before.id, lowBalance === null ? null : parseAmount('lowBalance', lowBalance));
      const after = view(await requireAccount(prisma, before.id));
      await request.audit({
        action: 'account.lowBalance',
        subject: before.id,
        before: { lowBalance: view(before).lowBalance },
        after: { lowBalance: after.lowBalance },
      });
      return ok(after);
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
      const { id, ...known } = accountOf(request);
      const { isActive, senderIds, rateCard } = request.body;
      if (senderIds !== undefined) await setSenderIds(prisma, id, senderIds);
      if (rateCard !== undefined) await setRateCard(prisma, id, rateCard);
      if (isActive !== undefined) await switchAccount(prisma, id, isActive);
      const after = view(await requireAccount(prisma, id));
      await request.audit({
        action: 'account.change',
        subject: id,
        before: { isActive: known.isActive, senderIds: known.senderIds, rateCard: known.rateCardId },
        after: { isActive: after.isActive, senderIds: after.senderIds, rateCard: after.rateCard },
      });
      return ok(after);
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
      const credit = await creditAccount(prisma, { accountId, amountMicros, note: note?.trim() || undefined });
      const made = {
        ledgerEntryId: credit.ledgerEntryId,
        amount: formatMoney(credit.amountMicros),
        balance: formatMoney(credit.balanceAfterMicros),
        currency: credit.currency,
      };
      await request.audit({ action: 'account.credit', subject: accountId, after: { ...made, note: note ?? null } });
      return ok(made);
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
