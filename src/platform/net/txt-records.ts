import { promises as dns } from 'node:dns';
import { withTimeout } from '../timeout.js';
import { NameLookupError } from './resolver.js';

const TIMEOUT_MS = 5_000;
/** More records than this are not read. */
const MAX_RECORDS = 100;

/** Resolves to the texts of a name's TXT records, or to an empty list if there are none. Rejects with NameLookupError. */
export type ResolveTxt = (name: string) => Promise<string[]>;

/** DNS error codes which mean that a name has no TXT record. */
const NO_RECORD_CODES = new Set(['ENOTFOUND', 'ENODATA']);

/** Each lookup reads the system's name servers again and ends after five seconds. */
export const resolveTxt: ResolveTxt = async (name) => {
  const servers = new dns.Resolver({ timeout: 2_000, tries: 2 });
  try {
    const records = await withTimeout(servers.resolveTxt(name), TIMEOUT_MS);
    // A record longer than 255 bytes arrives in pieces (RFC 7208 §3.3).
    return records.slice(0, MAX_RECORDS).map((pieces) => pieces.join(''));
  } catch (error) {
    const { code = 'ETIMEOUT' } = error as NodeJS.ErrnoException;
    if (NO_RECORD_CODES.has(code)) return [];
    throw new NameLookupError(code);
  } finally {
    servers.cancel();
  }
};
