import { listCarriers } from '../../carriers/setup/carriers.js';
import { findReports, type StoredReport } from '../../carriers/setup/status-store.js';
import type { Prisma, PrismaClient } from '../../platform/generated/prisma/client.js';

export interface AttentionOptions {
  prisma: Pick<PrismaClient, 'account' | 'channel' | 'route' | 'webhook' | 'carrier' | '$queryRaw'>;
}

/** `silent` means that no process reports on the carrier. */
export type CarrierTrouble = 'limited' | 'down' | 'unusable' | 'silent';

/** An active carrier that is not up in every sending process. */
export interface CarrierInTrouble {
  name: string;
  /** The worst reported state. */
  state: CarrierTrouble;
  since: Date | null;
  reason: string | null;
  processes: number;
  notUp: number;
}

export interface WebhookInTrouble {
  id: string;
  accountId: string;
  accountName: string;
  channelId: string | null;
  url: string;
  failingSince: Date | null;
  /** Why the webhook was disabled; null while deliveries are still attempted. */
  disabledReason: string | null;
}

export interface AccountInTrouble {
  id: string;
  name: string;
  currency: string;
  isActive: boolean;
  balanceMicros: bigint;
}

export interface Attention {
  carriers: CarrierInTrouble[];
  webhooks: WebhookInTrouble[];
  accounts: AccountInTrouble[];
  webhookCount: number;
  accountCount: number;
}

const MAX_LISTED = 20;

/** Worst first. */
const STATES_BY_SEVERITY = ['unusable', 'down', 'limited'] as const;

export async function findAttention({ prisma }: AttentionOptions): Promise<Attention> {
  const failingWebhooks: Prisma.WebhookWhereInput = {
    isCallback: false,
    OR: [
      { isActive: true, failingSince: { not: null } },
      { isActive: false, disabledReason: { not: null } },
    ],
  };
  const accountsInTrouble: Prisma.AccountWhereInput = { OR: [{ isActive: false }, lowBalanceFilter(prisma)] };
  const [carriers, reports, webhooks, webhookCount, accounts, accountCount] = await Promise.all([
    listCarriers(prisma),
    findReports(prisma),
    prisma.webhook.findMany({
      where: failingWebhooks,
      orderBy: [{ failingSince: 'asc' }, { id: 'asc' }],
      take: MAX_LISTED,
    }),
    prisma.webhook.count({ where: failingWebhooks }),
    prisma.account.findMany({
      where: accountsInTrouble,
      orderBy: [{ isActive: 'desc' }, { name: 'asc' }],
      take: MAX_LISTED,
    }),
    prisma.account.count({ where: accountsInTrouble }),
  ]);
  const owners = await prisma.account.findMany({
    where: { id: { in: webhooks.map(({ accountId }) => accountId) } },
    select: { id: true, name: true },
  });
  const names = new Map(owners.map(({ id, name }) => [id, name]));
  return {
    carriers: carriers
      .filter(({ isActive }) => isActive)
      .flatMap(({ name }) =>
        findTrouble(
          name,
          reports.filter(({ carrier }) => carrier === name),
        ),
      ),
    webhooks: webhooks.map(({ id, accountId, channelId, url, failingSince, disabledReason, isActive }) => ({
      id,
      accountId,
      accountName: names.get(accountId) ?? '',
      channelId,
      url,
      failingSince,
      disabledReason: isActive ? null : disabledReason,
    })),
    accounts: accounts.map(({ id, name, currency, isActive, balanceMicros }) => {
      return { id, name, currency, isActive, balanceMicros };
    }),
    webhookCount,
    accountCount,
  };
}

function lowBalanceFilter(prisma: Pick<PrismaClient, 'account'>): Prisma.AccountWhereInput {
  const { lowBalanceMicros } = prisma.account.fields;
  return { OR: [{ balanceMicros: { lte: 0 } }, { balanceMicros: { lt: lowBalanceMicros } }] };
}

/** Must match `lowBalanceFilter`. */
export function hasLowBalance(account: { balanceMicros: bigint; lowBalanceMicros: bigint | null }): boolean {
  const { balanceMicros, lowBalanceMicros } = account;
  return balanceMicros <= 0n || (lowBalanceMicros !== null && balanceMicros < lowBalanceMicros);
}

function findTrouble(name: string, reports: readonly StoredReport[]): CarrierInTrouble[] {
  const freshReports = reports.filter(({ isFresh }) => isFresh);
  if (freshReports.length === 0) {
    return [{ name, state: 'silent', since: null, reason: null, processes: 0, notUp: 0 }];
  }
  const impairedReports = freshReports.filter(({ state }) => state !== 'up');
  if (impairedReports.length === 0) return [];
  const state = STATES_BY_SEVERITY.find((each) => impairedReports.some((report) => report.state === each)) ?? 'limited';
  const worst = impairedReports
    .filter((report) => report.state === state)
    .sort((a, b) => a.since.getTime() - b.since.getTime());
  const [longest] = worst;
  return [
    {
      name,
      state,
      since: longest?.since ?? null,
      reason: longest?.reason ?? null,
      processes: freshReports.length,
      notUp: impairedReports.length,
    },
  ];
}
