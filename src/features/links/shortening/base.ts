import type { Connection } from '../../../platform/store/with-transaction.js';
import { findVerifiedHost } from '../domain/verify-store.js';
import { createCode } from './codes.js';
import type { Shortener } from './shorten-text.js';

export const LINK_PATH = '/l/';

/** @param host the account's proved domain; null: links begin with `publicUrl` */
export function buildBase(host: string | null, publicUrl: string): string {
  return `${host === null ? publicUrl : `https://${host}`}${LINK_PATH}`;
}

/**
 * Returns what `shortenText` needs for the account's messages.
 * @param publicUrl PUBLIC_URL, without a slash at the end
 */
export async function createShortener(
  pool: Connection,
  { accountId, publicUrl }: { accountId: string; publicUrl: string },
): Promise<Omit<Shortener, 'origins'>> {
  return { base: buildBase(await findVerifiedHost(pool, accountId), publicUrl), createCode };
}
