import { type AccountCount, readCountsByAccount } from '../../messages/counters/account-counts-store.js';
import { type QueueDepth, readQueueDepths } from '../../messages/queue/depth-store.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import { type EventCounts, type OverviewOptions, sumByEvent, toWholeHours } from './overview.js';

export interface InstallationOverviewOptions extends OverviewOptions {
  prisma: Pick<PrismaClient, 'account'>;
}

export interface AccountOverview {
  accountId: string;
  name: string;
  currency: string;
  isActive: boolean;
  totals: EventCounts;
  spendMicros: bigint;
  waiting: number;
  oldestAt: Date | null;
}

export interface InstallationOverview {
  from: Date;
  to: Date;
  /** Totals of all accounts, including accounts that are not listed. */
  totals: EventCounts;
  queue: QueueDepth;
  /** Accounts with messages in the period or in the queue, those with most messages first. */
  accounts: AccountOverview[];
  moreAccounts: boolean;
}

const MAX_ACCOUNTS = 200;

/** @throws {AppError} INVALID_REQUEST for a period that is empty or too long */
export async function readInstallationOverview(
  { pool, prisma, clock }: InstallationOverviewOptions,
  question: { from: Date; to: Date },
): Promise<InstallationOverview> {
  const hours = toWholeHours(question, clock.now());
  const [counted, depths] = await Promise.all([readCountsByAccount(pool, hours), readQueueDepths(pool)]);
  const byAccount = new Map<string, AccountCount[]>();
  for (const { accountId } of depths.accounts) byAccount.set(accountId, []);
  for (const row of counted) byAccount.set(row.accountId, [...(byAccount.get(row.accountId) ?? []), row]);
  const queueByAccount = new Map(depths.accounts.map((each) => [each.accountId, each]));

  const accountNumbers = [...byAccount].map(([accountId, rows]) => {
    const { waiting = 0, oldestAt = null } = queueByAccount.get(accountId) ?? {};
    const spendMicros = rows.reduce((sum, { event, micros }) => (event === 'accepted' ? sum + micros : sum), 0n);
    return { accountId, totals: sumByEvent(rows), spendMicros, waiting, oldestAt };
  });
  const busiestAccounts = accountNumbers
    .sort(
      (a, b) => b.totals.accepted + b.waiting - a.totals.accepted - a.waiting || (a.accountId < b.accountId ? -1 : 1),
    )
    .slice(0, MAX_ACCOUNTS);
  const accountRows = await prisma.account.findMany({
    where: { id: { in: busiestAccounts.map(({ accountId }) => accountId) } },
    select: { id: true, name: true, currency: true, isActive: true },
  });
  const accounts = new Map(accountRows.map(({ id, ...account }) => [id, account]));
  return {
    ...hours,
    totals: sumByEvent(counted),
    queue: depths.all,
    accounts: busiestAccounts.flatMap((each) => {
      const account = accounts.get(each.accountId);
      return account ? [{ ...each, ...account }] : [];
    }),
    moreAccounts: accountNumbers.length > busiestAccounts.length,
  };
}
