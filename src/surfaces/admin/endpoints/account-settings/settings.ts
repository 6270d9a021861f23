import type { FastifyRequest } from 'fastify';
import {
  setAccountActive,
  setDefaultCountry,
  setLowBalanceThreshold,
  setRateCard,
  setSenderIds,
  setStopScope,
} from '../../../../accounts/account-settings.js';
import { createAccount, lockAccount, requireAccount } from '../../../../accounts/accounts.js';
import { diffForAudit } from '../../../../accounts/audit/diff.js';
import { readFrequencyCap, setFrequencyCap } from '../../../../accounts/frequency-cap.js';
import { formatMoney, parseAmount } from '../../../../accounts/money.js';
import type { VisibleAccount } from '../../../../accounts/operators/roles/visible-accounts.js';
import { setOptOutLine } from '../../../../features/campaigns/message/opt-out-line.js';
import { type Booking, creditOnce } from '../../../../features/credits/credit-once.js';
import { createGuardForNewAccount, parseCountriesSetting } from '../../../../features/spending/guards.js';
import { type QuietHours, readQuietHours, setQuietHours } from '../../../../messages/quiet-hours/settings.js';
import type { Clock } from '../../../../platform/clock.js';
import { invalidField } from '../../../../platform/errors/app-error.js';
import { claimForPath } from '../../../http/idempotency-key.js';
import { ok } from '../../answers.js';
import { SETTINGS } from '../../contract/account-settings/settings.js';
import { type Endpoints, registerRoutes } from '../../endpoint.js';
import { requestAccount } from '../../session-auth.js';

export interface SettingsOptions {
  clock: Clock;
  /** The setting NEW_ACCOUNT_COUNTRIES. */
  newAccountCountries?: string | undefined;
}

export const accountSettingsEndpoints: Endpoints<SettingsOptions> = async (app, { clock, newAccountCountries }) => {
  const route = registerRoutes(app, SETTINGS);
  route('GET /account-defaults', async () => ok({ countries: parseCountriesSetting(newAccountCountries) }));

  route('POST /accounts', async (request) => {
    const { name, rateCard, countries } = request.body;
    const guard = createGuardForNewAccount(countries, newAccountCountries);
    const created = await request.change(async ({ prisma }) => {
      const result = await createAccount(prisma, { name, rateCardId: rateCard, guard });
      const after = { name: result.name, rateCard: result.rateCardId, currency: result.currency };
      if (guard) Object.assign(after, { countries: guard.allowed });
      return { result, audit: { action: 'account.create', subject: result.id, accountId: result.id, after } };
    });
    return ok(toSettingsData(created));
  });

  route('GET /accounts/:accountId/settings', async (request) => ok(toSettingsData(requestAccount(request))));

  route('PATCH /accounts/:accountId/settings', async (request) => {
    const { id } = requestAccount(request);
    const { lowBalance, optOutLine, stopScope, frequencyCap, quietHours } = request.body;
    const threshold = typeof lowBalance === 'string' ? parseAmount('lowBalance', lowBalance) : null;
    return request.change(async ({ prisma }) => {
      const before = toSettingsData(await lockAccount(prisma, id));
      if (lowBalance !== undefined) await setLowBalanceThreshold(prisma, id, threshold);
      if (optOutLine !== undefined) await setOptOutLine(prisma, id, optOutLine);
      if (stopScope !== undefined) await setStopScope(prisma, id, stopScope);
      if (frequencyCap !== undefined) await setFrequencyCap(prisma, id, frequencyCap);
      if (quietHours !== undefined) await setQuietHours(prisma, id, quietHours);
      const after = toSettingsData(await requireAccount(prisma, id));
      const isOnlyBalance = [optOutLine, stopScope, frequencyCap, quietHours].every((value) => value === undefined);
      return {
        result: ok(after),
        audit: diffForAudit(isOnlyBalance ? 'account.lowBalance' : 'account.change', id, before, after),
      };
    });
  });

  route('PATCH /accounts/:accountId', async (request) => {
    const { id } = requestAccount(request);
    const { isActive, senderIds, rateCard, defaultCountry } = request.body;
    return request.change(async ({ prisma }) => {
      const before = toSettingsData(await lockAccount(prisma, id));
      if (senderIds !== undefined) await setSenderIds(prisma, id, senderIds);
      if (rateCard !== undefined) await setRateCard(prisma, id, rateCard);
      if (defaultCountry !== undefined) await setDefaultCountry(prisma, id, defaultCountry);
      if (isActive !== undefined) await setAccountActive(prisma, id, isActive);
      const after = toSettingsData(await requireAccount(prisma, id));
      return { result: ok(after), audit: diffForAudit('account.change', id, before, after) };
    });
  });

  route('POST /accounts/:accountId/credits', (request) => {
    const { amount, note } = request.body;
    return bookCredit(request, clock, 'account.credit', { amountMicros: parseAmount('amount', amount), note });
  });

  route('POST /accounts/:accountId/credits/correct', (request) => {
    const { amount, note } = request.body;
    const amountMicros = parseAmount('amount', amount);
    if (amountMicros === 0n) throw invalidField('amount', 'must be more than zero');
    return bookCredit(request, clock, 'account.correct', { amountMicros: -amountMicros, note });
  });
};

async function bookCredit(
  request: FastifyRequest,
  clock: Clock,
  action: 'account.credit' | 'account.correct',
  { amountMicros, note }: Omit<Booking, 'accountId'>,
) {
  const { id: accountId } = requestAccount(request);
  const key = claimForPath(request, 'console credit');
  return request.change(async (change) => {
    const booking = { accountId, amountMicros, note: note?.trim() || undefined };
    const { credit, replayed } = await creditOnce(change, booking, key, clock.now());
    const creditData = {
      ledgerEntryId: credit.ledgerEntryId,
      amount: formatMoney(credit.amountMicros),
      balance: formatMoney(credit.balanceAfterMicros),
      currency: credit.currency,
    };
    const after = { ...creditData, note: note ?? null };
    return { result: ok(creditData), audit: replayed ? null : { action, subject: accountId, after } };
  });
}

function toSettingsData(account: VisibleAccount) {
  const {
    id,
    name,
    currency,
    balanceMicros,
    rateCardId,
    isActive,
    lowBalanceMicros,
    senderIds,
    defaultCountry,
    optOutLine,
    stopsMarketingOnly,
    frequencyCap,
    quietHours,
    createdAt,
  } = account;
  return {
    id,
    name,
    currency,
    balance: formatMoney(balanceMicros),
    rateCard: rateCardId,
    isActive,
    lowBalance: lowBalanceMicros === null ? null : formatMoney(lowBalanceMicros),
    senderIds,
    defaultCountry,
    optOutLine,
    stopScope: stopsMarketingOnly ? ('marketing' as const) : ('all' as const),
    frequencyCap: readFrequencyCap(frequencyCap),
    quietHours: toQuietHoursData(readQuietHours(quietHours)),
    createdAt: createdAt.toISOString(),
  };
}

/** Lists are copied, because the response's type has writable lists. */
function toQuietHoursData(quietHours: QuietHours | null) {
  return (
    quietHours && {
      presets: [...quietHours.presets],
      rules: quietHours.rules.map(({ name, countries, windows, closedDates }) => ({
        name,
        countries: [...countries],
        windows: windows.map(({ days, from, to }) => ({ days: [...days], from, to })),
        closedDates: [...closedDates],
      })),
      includesTransactional: quietHours.includesTransactional,
    }
  );
}
