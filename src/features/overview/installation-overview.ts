import { type CountedOfAccount, readCountsByAccount } from '../../messages/counters/account-counts-store.js';
import { type QueueDepth, readQueueDepths } from '../../messages/queue/depth-store.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import { hoursOf, type Numbers, numbersOf, type OverviewOptions } from './overview.js';

export interface InstallationOverviewOptions extends OverviewOptions {
  prisma: Pick<PrismaClient, 'account'>;
}

/** What became of the messages of one account. */
export interface AccountOverview {
  accountId: string;
  name: string;
  currency: string;
  isActive: boolean;
  totals: Numbers;
  spendMicros: bigint;
  waiting: number;
  oldestAt: Date | null;
}

export interface InstallationOverview {
  from: Date;
  to: Date;
  /** Of all accounts, also of those that are not in the list. */
  totals: Numbers;
  queue: QueueDepth;
  /** Those with messages in this time or in the queue: the ones with the most first. */
  accounts: AccountOverview[];
  moreAccounts: boolean;
}

/** Accounts that are listed at the most. */
const MOST_ACCOUNTS = 200;

/**
 * What became of the messages of the whole installation in some hours, and what waits now, by account.
 * @throws {AppError} INVALID_REQUEST for a time that ends before it begins or is too long
 */
export async function readInstallationOverview(
  { pool, prisma, clock }: InstallationOverviewOptions,
  question: { from: Date; to: Date },
): Promise<InstallationOverview> {
  const hours = hoursOf(question, clock.now());
  const [counted, depths] = await Promise.all([readCountsByAccount(pool, hours), readQueueDepths(pool)]);
  const byAccount = new Map<string, CountedOfAccount[]>();
  for (const { accountId } of depths.accounts) byAccount.set(accountId, []);
  for (const row of counted) byAccount.set(row.accountId, [...(byAccount.get(row.accountId) ?? []), row]);
  const waits = new Map(depths.accounts.map((each) => [each.accountId, each]));

  const found = [...byAccount].map(([accountId, rows]) => {
    const { waiting = 0, oldestAt = null } = waits.get(accountId) ?? {};
    const spendMicros = rows.reduce((sum, { event, micros }) => (event === 'accepted' ? sum + micros : sum), 0n);
    return { accountId, totals: numbersOf(rows), spendMicros, waiting, oldestAt };
  });
  const busiest = found
    .sort(
      (a, b) => b.totals.accepted + b.waiting - a.totals.accepted - a.waiting || (a.accountId < b.accountId ? -1 : 1),
    )
    .slice(0, MOST_ACCOUNTS);
  const named = await prisma.account.findMany({
    where: { id: { in: busiest.map(({ accountId }) => accountId) } },
    select: { id: true, name: true, currency: true, isActive: true },
  });
  const accounts = new Map(named.map(({ id, ...account }) => [id, account]));
  return {
    ...hours,
    totals: numbersOf(counted),
    queue: depths.all,
    accounts: busiest.flatMap((each) => {
      const account = accounts.get(each.accountId);
      return account ? [{ ...each, ...account }] : [];
    }),
    moreAccounts: found.length > busiest.length,
  };
}
