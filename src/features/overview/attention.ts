import { listCarriers } from '../../carriers/setup/carriers.js';
import { findReports, type StoredReport } from '../../carriers/setup/status-store.js';
import type { Prisma, PrismaClient } from '../../platform/generated/prisma/client.js';

export interface AttentionOptions {
  prisma: Pick<PrismaClient, 'account' | 'channel' | 'route' | 'webhook' | 'carrier' | '$queryRaw'>;
}

/** How a carrier fares that does not fare well; `silent`: no process tells of it. */
export type CarrierTrouble = 'limited' | 'down' | 'unusable' | 'silent';

/** A carrier that is switched on and not up in every process that sends. */
export interface CarrierInTrouble {
  name: string;
  /** The worst of what the processes tell. */
  state: CarrierTrouble;
  since: Date | null;
  reason: string | null;
  /** Processes that tell of it, and those in which it is not up. */
  processes: number;
  notUp: number;
}

/** A webhook whose deliveries fail, or that was disabled for it. */
export interface WebhookInTrouble {
  id: string;
  accountId: string;
  accountName: string;
  channelId: string | null;
  url: string;
  failingSince: Date | null;
  /** Null while it is still tried. */
  disabledReason: string | null;
}

/** An account that is switched off, has no credit, or less than its own mark. */
export interface AccountInTrouble {
  id: string;
  name: string;
  currency: string;
  isActive: boolean;
  balanceMicros: bigint;
}

/** What an operator of the installation should look at, of each kind at most MOST. */
export interface Attention {
  carriers: CarrierInTrouble[];
  webhooks: WebhookInTrouble[];
  accounts: AccountInTrouble[];
  /** How many there are in all. */
  webhookCount: number;
  accountCount: number;
}

/** Things of a kind that are listed at the most. */
const MOST = 20;

/** The worst first. */
const STATES = ['unusable', 'down', 'limited'] as const;

/** What of the installation does not go as it should now: carriers, webhooks, accounts. */
export async function findAttention({ prisma }: AttentionOptions): Promise<Attention> {
  const failing: Prisma.WebhookWhereInput = {
    isCallback: false,
    OR: [
      { isActive: true, failingSince: { not: null } },
      { isActive: false, disabledReason: { not: null } },
    ],
  };
  const low: Prisma.AccountWhereInput = { OR: [{ isActive: false }, isLowAccount(prisma)] };
  const [carriers, reports, webhooks, webhookCount, accounts, accountCount] = await Promise.all([
    listCarriers(prisma),
    findReports(prisma),
    prisma.webhook.findMany({ where: failing, orderBy: [{ failingSince: 'asc' }, { id: 'asc' }], take: MOST }),
    prisma.webhook.count({ where: failing }),
    prisma.account.findMany({ where: low, orderBy: [{ isActive: 'desc' }, { name: 'asc' }], take: MOST }),
    prisma.account.count({ where: low }),
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
        troubleOf(
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

/** Nothing can be charged to it, or it has less than the mark below which its webhooks are told. */
function isLowAccount(prisma: Pick<PrismaClient, 'account'>): Prisma.AccountWhereInput {
  const { lowBalanceMicros } = prisma.account.fields;
  return { OR: [{ balanceMicros: { lte: 0 } }, { balanceMicros: { lt: lowBalanceMicros } }] };
}

/** The same of one account that was read. */
export function isLow(account: { balanceMicros: bigint; lowBalanceMicros: bigint | null }): boolean {
  const { balanceMicros, lowBalanceMicros } = account;
  return balanceMicros <= 0n || (lowBalanceMicros !== null && balanceMicros < lowBalanceMicros);
}

function troubleOf(name: string, reports: readonly StoredReport[]): CarrierInTrouble[] {
  const fresh = reports.filter(({ isFresh }) => isFresh);
  if (fresh.length === 0) {
    return [{ name, state: 'silent', since: null, reason: null, processes: 0, notUp: 0 }];
  }
  const unwell = fresh.filter(({ state }) => state !== 'up');
  if (unwell.length === 0) return [];
  const state = STATES.find((each) => unwell.some((report) => report.state === each)) ?? 'limited';
  const worst = unwell.filter((report) => report.state === state).sort((a, b) => a.since.getTime() - b.since.getTime());
  const [first] = worst;
  return [
    {
      name,
      state,
      since: first?.since ?? null,
      reason: first?.reason ?? null,
      processes: fresh.length,
      notUp: unwell.length,
    },
  ];
}
