import type { PrismaClient, Surface } from '../platform/generated/prisma/client.js';
import { KEY_ACCOUNT_COLUMNS, type KeyAccount } from './account-ref.js';
import { withKey } from './guard/guard.js';
import { KeyCache, type StoredKey } from './key-cache.js';
import type { KeyUsage } from './key-usage.js';

export interface Credential {
  keyId: string;
  surface: Surface;
  account: KeyAccount;
  scopes: readonly string[];
}

type KeyTable = Pick<PrismaClient, 'apiKey'>;

/** Revoked API keys stop working within 1.5 seconds. */
export class Authenticator {
  readonly #keys: KeyCache<Credential>;

  constructor({ prisma, uses }: { prisma: KeyTable; uses?: Pick<KeyUsage, 'record'> }) {
    this.#keys = new KeyCache((keyHashes) => loadCredentials(prisma, keyHashes), uses);
  }

  /** Synchronous for cached keys. */
  find(key: string): Credential | null | Promise<Credential | null> {
    return this.#keys.find(key);
  }
}

async function loadCredentials(
  prisma: KeyTable,
  keyHashes: Uint8Array<ArrayBuffer>[],
): Promise<StoredKey<Credential>[]> {
  const rows = await prisma.apiKey.findMany({
    where: { keyHash: { in: keyHashes }, revokedAt: null },
    select: {
      id: true,
      surface: true,
      scopes: true,
      keyHash: true,
      spendGuard: true,
      account: { select: KEY_ACCOUNT_COLUMNS },
    },
  });
  return rows.map(({ id, surface, scopes, keyHash, spendGuard, account }) => ({
    keyHash,
    value: { keyId: id, surface, scopes, account: withKey(account, id, spendGuard) },
  }));
}
