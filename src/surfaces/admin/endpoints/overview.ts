import { moneyToNumber } from '../../../accounts/money.js';
import { findMainRegion } from '../../../carriers/numbers/phone-numbers.js';
import { type AttentionOptions, findAttention } from '../../../features/overview/attention.js';
import {
  type InstallationOverviewOptions,
  readInstallationOverview,
} from '../../../features/overview/installation-overview.js';
import { readOverview } from '../../../features/overview/overview.js';
import type { Reads } from '../../../platform/reads/reads.js';
import { parseTimestamp } from '../../../platform/timestamps.js';
import { iso } from '../../http/schemas/values.js';
import { ok } from '../answers.js';
import { OVERVIEW } from '../contract/overview.js';
import { type Endpoints, registerRoutes } from '../endpoint.js';
import { requestAccount } from '../session-auth.js';

export type OverviewEndpointOptions = InstallationOverviewOptions & AttentionOptions & { reads: Reads };

const NO_REGION = { region: null, isShared: false };

export const overviewEndpoints: Endpoints<OverviewEndpointOptions> = async (app, options) => {
  const route = registerRoutes(app, OVERVIEW);
  route('GET /accounts/:accountId/overview', async (request) => {
    const { id, currency, balanceMicros } = requestAccount(request);
    const { from, to, zone = 'UTC' } = request.query;
    const period = {
      accountId: id,
      currency,
      from: parseTimestamp(from, 'from'),
      to: to === undefined ? options.clock.now() : parseTimestamp(to, 'to'),
      zone,
    };
    const counts = await options.reads((store) => readOverview({ ...options, ...store }, period));
    const { spendMicros, refundMicros, byTime, byCountry, queue, ...overview } = counts;
    return ok({
      ...overview,
      from: counts.from.toISOString(),
      to: counts.to.toISOString(),
      currency,
      balance: moneyToNumber(balanceMicros),
      spend: moneyToNumber(spendMicros),
      refunds: moneyToNumber(refundMicros),
      byCountry: byCountry.map((row) => ({ ...row, ...(findMainRegion(row.callingCode) ?? NO_REGION) })),
      byTime: byTime.map(({ start, ...numbers }) => ({ start: start.toISOString(), ...numbers })),
      queue: { ...queue, oldestAt: iso(queue.oldestAt) },
    });
  });

  route('GET /attention', async () => {
    const { carriers, webhooks, accounts, ...counts } = await findAttention(options);
    return ok({
      ...counts,
      carriers: carriers.map((carrier) => ({ ...carrier, since: iso(carrier.since) })),
      webhooks: webhooks.map((webhook) => ({ ...webhook, failingSince: iso(webhook.failingSince) })),
      accounts: accounts.map(({ balanceMicros, ...each }) => ({ ...each, balance: moneyToNumber(balanceMicros) })),
    });
  });

  route('GET /overview', async ({ query: { from, to } }) => {
    const period = {
      from: parseTimestamp(from, 'from'),
      to: to === undefined ? options.clock.now() : parseTimestamp(to, 'to'),
    };
    const counts = await options.reads((store) => readInstallationOverview({ ...options, ...store }, period));
    return ok({
      ...counts,
      from: counts.from.toISOString(),
      to: counts.to.toISOString(),
      queue: { ...counts.queue, oldestAt: iso(counts.queue.oldestAt) },
      accounts: counts.accounts.map(({ spendMicros, oldestAt, ...each }) => {
        return { ...each, spend: moneyToNumber(spendMicros), oldestAt: iso(oldestAt) };
      }),
    });
  });
};
