import type { FastifyRequest } from 'fastify';
import { setLowBalance, setRateCard, setSenderIds, switchAccount } from '../../../../accounts/account-settings.js';
import { createAccount, lockedAccount, requireAccount } from '../../../../accounts/accounts.js';
import { changeOf } from '../../../../accounts/audit/change-of.js';
import { formatMoney, parseAmount } from '../../../../accounts/money.js';
import type { SeenAccount } from '../../../../accounts/operators/accounts-seen.js';
import { type Booking, creditOnce } from '../../../../features/credits/credit-once.js';
import { invalidField } from '../../../../platform/errors/app-error.js';
import { idempotencyClaim } from '../../../http/idempotency-key.js';
import { ok } from '../../answers.js';
import { type Endpoints, endpoint } from '../../endpoint.js';
import { accountOf } from '../../session-auth.js';
import { AccountPath } from '../accounts-schemas.js';
import {
  AccountChangeBody,
  AccountSettingsData,
  CorrectionBody,
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
      description: ONCE,
      params: AccountPath,
      body: CreditBody,
      data: CreditData,
      errors: [422],
    }),
    (request) => {
      const { amount, note } = request.body;
      return book(request, 'account.credit', { amountMicros: parseAmount('amount', amount), note });
    },
  );

  app.post(
    '/accounts/:accountId/credits/correct',
    endpoint({
      needs: 'owner',
      of: 'installation',
      operationId: 'consoleCorrectCredit',
      summary: 'Take back what was credited by mistake, no more than the balance',
      description: ONCE,
      params: AccountPath,
      body: CorrectionBody,
      data: CreditData,
      errors: [422],
    }),
    (request) => {
      const { amount, note } = request.body;
      const amountMicros = parseAmount('amount', amount);
      if (amountMicros === 0n) throw invalidField('amount', 'must be more than zero');
      return book(request, 'account.correct', { amountMicros: -amountMicros, note });
    },
  );
};

const ONCE = 'With an `Idempotency-Key` a repetition within 24 hours books nothing more and has the first answer.';

/** Books once what a request asks for, with its line of the audit log. */
async function book(
  request: FastifyRequest,
  action: 'account.credit' | 'account.correct',
  { amountMicros, note }: Omit<Booking, 'accountId'>,
) {
  const { id: accountId } = accountOf(request);
  const claim = idempotencyClaim(request, `${request.method} ${request.routeOptions.url}`);
  const key = claim && { ...claim, key: `console credit ${claim.key}` };
  return request.change(async (change) => {
    const booking = { accountId, amountMicros, note: note?.trim() || undefined };
    const { credit, replayed } = await creditOnce(change, booking, key);
    const made = {
      ledgerEntryId: credit.ledgerEntryId,
      amount: formatMoney(credit.amountMicros),
      balance: formatMoney(credit.balanceAfterMicros),
      currency: credit.currency,
    };
    const after = { ...made, note: note ?? null };
    return { result: ok(made), told: replayed ? null : { action, subject: accountId, after } };
  });
}

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
