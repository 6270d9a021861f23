import { hash, timingSafeEqual } from 'node:crypto';
import type { Channel, Prisma, PrismaClient } from '../platform/generated/prisma/client.js';
import { KEY_ACCOUNT, type KeyAccount } from './account-ref.js';
import { withKey } from './guard/guard.js';
import { KeyCache, MAX_KEY_LENGTH, type StoredKey } from './key-cache.js';
import type { KeyUses } from './key-uses.js';

/** What a look-up reads of the channel of a request. */
export const CHANNEL_REF = {
  id: true,
  kind: true,
  name: true,
  phoneNumber: true,
  carrier: true,
  carrierSettings: true,
  isActive: true,
  healthStatus: true,
} as const satisfies Prisma.ChannelSelect;

/** The channel on whose behalf a request of Surface B is made. */
export type ChannelRef = Pick<Channel, keyof typeof CHANNEL_REF>;

/** Who makes a request of Surface B, as authentication found it. */
export interface ChannelCaller {
  keyId: string;
  account: KeyAccount;
  channel: ChannelRef;
  scopes: readonly string[];
}

/** A key and the channels that it is bound to. */
export interface ChannelKey {
  keyId: string;
  secretHash: Uint8Array;
  /** By the channel's id in lower case. */
  callers: ReadonlyMap<string, ChannelCaller>;
}

/** What the three headers of a request stand for: a caller, or what is wrong with them. */
export type ChannelAuthentication = ChannelCaller | 'unknown key' | 'foreign channel';

type KeyTable = Pick<PrismaClient, 'apiKey'>;

/**
 * Finds who sends the three headers of Surface B. A revoked key, and whatever changes of a channel, is obeyed after 1.5
 * seconds at the latest.
 */
export class ChannelAuthenticator {
  readonly #keys: KeyCache<ChannelKey>;

  constructor({ prisma, uses }: { prisma: KeyTable; uses?: Pick<KeyUses, 'note'> }) {
    this.#keys = new KeyCache((keyHashes) => loadChannelKeys(prisma, keyHashes), uses);
  }

  /**
   * Answers at once when memory holds the key. The secret is compared in constant time, by its hash.
   * @throws what PostgreSQL throws when a look-up fails
   */
  find(key: string, secret: string, channelId: string): ChannelAuthentication | Promise<ChannelAuthentication> {
    if (secret.length > MAX_KEY_LENGTH) return 'unknown key';
    const found = this.#keys.find(key);
    return found instanceof Promise
      ? found.then((each) => authenticate(each, secret, channelId))
      : authenticate(found, secret, channelId);
  }

  /**
   * The key whose bearer token it is, or null; as `find`.
   * @param token as `bearerToken` makes it
   * @throws what PostgreSQL throws when a look-up fails
   */
  findToken(token: string): ChannelKey | null | Promise<ChannelKey | null> {
    const [key = '', secret = '', ...rest] = token.length > 2 * MAX_KEY_LENGTH ? [] : token.split('.');
    if (key === '' || secret === '' || rest.length > 0) return null;
    const found = this.#keys.find(key);
    const checked = (each: ChannelKey | null) => (each && isSecretOf(each, secret) ? each : null);
    return found instanceof Promise ? found.then(checked) : checked(found);
  }
}

function isSecretOf({ secretHash }: ChannelKey, secret: string): boolean {
  return timingSafeEqual(hash('sha256', secret, 'buffer'), secretHash);
}

function authenticate(key: ChannelKey | null, secret: string, channelId: string): ChannelAuthentication {
  if (!key || !isSecretOf(key, secret)) return 'unknown key';
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
      account: { select: KEY_ACCOUNT },
      channels: {
        where: { channel: { deletedAt: null } },
        select: { channel: { select: { ...CHANNEL_REF, accountId: true } } },
      },
    },
  });
  return rows.map(({ id: keyId, scopes, keyHash, secretHash, spendGuard, account: ofKey, channels }) => {
    const account = withKey(ofKey, keyId, spendGuard);
    const callers = new Map<string, ChannelCaller>();
    for (const { channel: row } of channels) {
      const { accountId, ...channel } = row;
      if (accountId === account.id) callers.set(channel.id, { keyId, account, channel, scopes });
    }
    return { keyHash, value: { keyId, secretHash: secretHash as Uint8Array, callers } };
  });
}
