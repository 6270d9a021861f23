import { AppError, notFound } from '../../../platform/errors/app-error.js';
import type { Prisma } from '../../../platform/generated/prisma/client.js';
import { NameLookupError } from '../../../platform/net/resolver.js';
import type { ResolveTxt } from '../../../platform/net/txt-records.js';
import type { Connection } from '../../../platform/store/with-transaction.js';
import { getRecordName, type LinkSettings, readLinkSettings } from './settings.js';
import { claimCheck } from './verify-store.js';

/** An account can check its domain this often, so that nobody uses the server to flood name servers. */
export const CHECK_INTERVAL_SECONDS = 10;

export interface CheckedDomain {
  host: string;
  /** Texts of the TXT records, or null if the lookup failed. */
  records: readonly string[] | null;
}

/**
 * Looks up the TXT records of the account's domain. Call this function outside the change, because a lookup takes up to five
 * seconds.
 * @throws {AppError} NOT_FOUND if the account has no domain, RATE_LIMITED after a check less than ten seconds ago
 */
export async function lookUpDomain(
  { pool, resolveTxt }: { pool: Connection; resolveTxt: ResolveTxt },
  accountId: string,
): Promise<CheckedDomain> {
  const claim = await claimCheck(pool, accountId, CHECK_INTERVAL_SECONDS);
  if (claim.host === null) throw notFound('domain');
  if (!claim.isClaimed) {
    throw new AppError('RATE_LIMITED', `The domain can be checked once in ${CHECK_INTERVAL_SECONDS} seconds.`);
  }
  try {
    return { host: claim.host, records: await resolveTxt(getRecordName(claim.host)) };
  } catch (error) {
    if (error instanceof NameLookupError) return { host: claim.host, records: null };
    throw error;
  }
}

export type DomainCheck = 'verified' | 'no-record' | 'lookup-failed' | 'other-account';

/**
 * Stores the result of a check. The caller must have locked the account. A domain belongs to the account whose record it has:
 * an account that had proved the domain loses it when its record is gone and another account's record is there. A failed lookup
 * changes nothing.
 */
export async function applyCheck(
  { linkSettings }: Pick<Prisma.TransactionClient, 'linkSettings'>,
  accountId: string,
  { host, records }: CheckedDomain,
  now: Date,
): Promise<{ before: LinkSettings; after: LinkSettings; result: DomainCheck }> {
  const before = await readLinkSettings({ linkSettings }, accountId);
  const unchanged = { before, after: before };
  const { domain } = before;
  if (records === null || domain?.host !== host) return { ...unchanged, result: 'lookup-failed' };
  if (!records.includes(domain.token)) {
    if (domain.verifiedAt === null) return { ...unchanged, result: 'no-record' };
    await linkSettings.update({ where: { accountId }, data: { verifiedAt: null } });
    return { before, after: await readLinkSettings({ linkSettings }, accountId), result: 'no-record' };
  }
  if (domain.verifiedAt !== null) return { ...unchanged, result: 'verified' };
  const otherOwners = { host, verifiedAt: { not: null }, accountId: { not: accountId } };
  await linkSettings.updateMany({
    where: { ...otherOwners, token: { notIn: [...records] } },
    data: { verifiedAt: null },
  });
  if ((await linkSettings.count({ where: otherOwners })) > 0) return { ...unchanged, result: 'other-account' };
  await linkSettings.update({ where: { accountId }, data: { verifiedAt: now } });
  return { before, after: await readLinkSettings({ linkSettings }, accountId), result: 'verified' };
}
