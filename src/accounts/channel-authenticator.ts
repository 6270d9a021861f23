import { hash, timingSafeEqual } from 'node:crypto';
import type { Channel, Prisma, PrismaClient } from '../platform/generated/prisma/client.js';
import { KEY_ACCOUNT_COLUMNS, type KeyAccount } from './account-ref.js';
import { withKey } from './guard/guard.js';
import { KeyCache, MAX_KEY_LENGTH, type StoredKey } from './key-cache.js';
import type { KeyUsage } from './key-usage.js';

export const CHANNEL_REF_COLUMNS = {
  id: true,
  kind: true,
  name: true,
  phoneNumber: true,
  carrier: true,
  carrierSettings: true,
  isActive: true,
  healthStatus: true,
} as const satisfies Prisma.ChannelSelect;

export type ChannelRef = Pick<Channel, keyof typeof CHANNEL_REF_COLUMNS>;

export interface ChannelCaller {
  keyId: string;
  account: KeyAccount;
  channel: ChannelRef;
  scopes: readonly string[];
}

export interface ChannelKey {
  keyId: string;
  secretHash: Uint8Array;
  /** By lower-case channel ID. */
  callers: ReadonlyMap<string, ChannelCaller>;
}

export type ChannelAuthentication = ChannelCaller | 'unknown key' | 'foreign channel';

type KeyTable = Pick<PrismaClient, 'apiKey'>;

/** Key revocations and channel changes take effect within 1.5 seconds. */
export class ChannelAuthenticator {
  readonly #keys: KeyCache<ChannelKey>;

  constructor({ prisma, uses }: { prisma: KeyTable; uses?: Pick<KeyUsage, 'record'> }) {
    this.#keys = new KeyCache((keyHashes) => loadChannelKeys(prisma, keyHashes), uses);
  }

  /** Synchronous for cached keys. */
  find(key: string, secret: string, channelId: string): ChannelAuthentication | Promise<ChannelAuthentication> {
    if (secret.length > MAX_KEY_LENGTH) return 'unknown key';
    const channelKey = this.#keys.find(key);
    return channelKey instanceof Promise
      ? channelKey.then((loadedKey) => authenticate(loadedKey, secret, channelId))
      : authenticate(channelKey, secret, channelId);
  }

  /** Checks a token from `buildBearerToken`, synchronously if its key is cached. */
  findToken(token: string): ChannelKey | null | Promise<ChannelKey | null> {
    const [key = '', secret = '', ...rest] = token.length > 2 * MAX_KEY_LENGTH ? [] : token.split('.');
    if (key === '' || secret === '' || rest.length > 0) return null;
    const cached = this.#keys.find(key);
    const keyIfSecretMatches = (candidate: ChannelKey | null) =>
      candidate && matchesSecret(candidate, secret) ? candidate : null;
    return cached instanceof Promise ? cached.then(keyIfSecretMatches) : keyIfSecretMatches(cached);
  }
}

function matchesSecret({ secretHash }: ChannelKey, secret: string): boolean {
  return timingSafeEqual(hash('sha256', secret, 'buffer'), secretHash);
}

function authenticate(key: ChannelKey | null, secret: string, channelId: string): ChannelAuthentication {
  if (!key || !matchesSecret(key, secret)) return 'unknown key';
  return key.callers.get(channelId.toLowerCase()) ?? 'foreign channel';
}

async function loadChannelKeys(
  prisma: KeyTable,
  keyHashes: Uint8Array<ArrayBuffer>[],
): Promise<StoredKey<ChannelKey>[]> {
  const rows = await prisma.apiKey.findMany({
    where: { keyHash: { in: keyHashes }, surface: 'b', secretHash: { not: null }, revokedAt: null },
    select: {
      id: true,
      scopes: true,
      keyHash: true,
      secretHash: true,
      spendGuard: true,
      account: { select: KEY_ACCOUNT_COLUMNS },
      channels: {
        where: { channel: { deletedAt: null } },
        select: { channel: { select: { ...CHANNEL_REF_COLUMNS, accountId: true } } },
      },
    },
  });
  return rows.map(({ id: keyId, scopes, keyHash, secretHash, spendGuard, account: keyAccount, channels }) => {
    const account = withKey(keyAccount, keyId, spendGuard);
    const callers = new Map<string, ChannelCaller>();
    for (const { channel: row } of channels) {
      const { accountId, ...channel } = row;
      if (accountId === account.id) callers.set(channel.id, { keyId, account, channel, scopes });
    }
    return { keyHash, value: { keyId, secretHash: secretHash as Uint8Array, callers } };
  });
}
