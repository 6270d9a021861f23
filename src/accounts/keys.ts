import { createHash, randomBytes } from 'node:crypto';
import { AppError, invalidField } from '../errors.js';
import type { ApiKey, PrismaClient } from '../generated/prisma/client.js';
import { isUuid, newId } from '../ids.js';
import { requireAccount } from './accounts.js';

/** Scopes of a Surface A key: `rest` allows its operations. */
export const APP_SCOPES: readonly string[] = ['rest'];
/** Scopes of a Surface B key: `full` allows every operation on the channels that the key is bound to. */
export const CHANNEL_KEY_SCOPES = [
  'full',
  'messages:send',
  'messages:read',
  'conversations:read',
  'contacts:read',
  'contacts:write',
  'templates:read',
  'templates:write',
  'campaigns:read',
  'campaigns:write',
  'automations:read',
  'automations:write',
  'webhooks:read',
  'webhooks:write',
  'account:read',
  'simulator:write',
] as const;

export type ChannelKeyScope = (typeof CHANNEL_KEY_SCOPES)[number];
/** What one operation of Surface B asks of a key. */
export type OperationScope = Exclude<ChannelKeyScope, 'full'>;

type KeyTables = Pick<PrismaClient, 'account' | 'apiKey'>;

/** A new key. It can never be shown again: only its hash is stored. */
export interface NewAppKey {
  id: string;
  key: string;
}

export interface NewChannelKey extends NewAppKey {
  secret: string;
}

/** An app as operators see it: without the hashes of its key. */
export type App = Omit<ApiKey, 'keyHash' | 'secretHash'>;

/** SHA-256 of a key or secret: 256 random bits need no slow hash. */
export function hashKey(key: string): Buffer<ArrayBuffer> {
  return createHash('sha256').update(key, 'utf8').digest();
}

function randomKey(prefix: 'hg_live_' | 'hg_secret_'): string {
  return prefix + randomBytes(32).toString('base64url');
}

function checked(input: { name: string; scopes: readonly string[] }, known: readonly string[]) {
  const name = input.name.trim();
  if (name === '') throw invalidField('name', 'must not be empty');
  const scopes = [...new Set(input.scopes)];
  const unknown = scopes.find((scope) => !known.includes(scope));
  if (unknown !== undefined) throw invalidField('scopes', `has no ${unknown}; there is ${known.join(', ')}`);
  return { name, scopes };
}

/**
 * Makes a Surface A key (an "app").
 * @throws {AppError} INVALID_REQUEST for an empty name or unknown scope, NOT_FOUND for an unknown account
 */
export async function createAppKey(
  prisma: KeyTables,
  input: { accountId: string; name: string; scopes: readonly string[] },
): Promise<NewAppKey> {
  const { name, scopes } = checked(input, APP_SCOPES);
  await requireAccount(prisma, input.accountId);
  const key = randomKey('hg_live_');
  const id = newId();
  await prisma.apiKey.create({
    data: {
      id,
      accountId: input.accountId,
      surface: 'a',
      name,
      keyHash: hashKey(key),
      lastFour: key.slice(-4),
      scopes,
    },
  });
  return { id, key };
}

/**
 * Makes a Surface B key and secret, bound to channels of the account.
 * @throws {AppError} INVALID_REQUEST for an empty name or unknown scope, NOT_FOUND for an unknown account or channel
 */
export async function createChannelKey(
  prisma: KeyTables & Pick<PrismaClient, 'channel'>,
  input: { accountId: string; name: string; scopes: readonly string[]; channelIds: readonly string[] },
): Promise<NewChannelKey> {
  const { name, scopes } = checked(input, CHANNEL_KEY_SCOPES);
  await requireAccount(prisma, input.accountId);
  for (const id of input.channelIds) {
    const channel = isUuid(id) ? await prisma.channel.findFirst({ where: { id, accountId: input.accountId } }) : null;
    if (!channel) throw new AppError('NOT_FOUND', `the account has no channel ${id}`);
  }
  const key = randomKey('hg_live_');
  const secret = randomKey('hg_secret_');
  const id = newId();
  await prisma.apiKey.create({
    data: {
      id,
      accountId: input.accountId,
      surface: 'b',
      name,
      keyHash: hashKey(key),
      secretHash: hashKey(secret),
      lastFour: key.slice(-4),
      scopes,
      channels: { create: input.channelIds.map((channelId) => ({ channelId })) },
    },
  });
  return { id, key, secret };
}

/** The Surface A keys of one account or of all, revoked ones included, the oldest first. */
export async function listApps(prisma: KeyTables, accountId?: string): Promise<App[]> {
  if (accountId !== undefined) await requireAccount(prisma, accountId);
  return prisma.apiKey.findMany({
    where: { surface: 'a', accountId },
    omit: { keyHash: true, secretHash: true },
    orderBy: { id: 'asc' },
  });
}

/**
 * Ends a Surface A key for good. Every running server refuses it within seconds. Once more changes nothing.
 * @throws {AppError} NOT_FOUND when there is no such app
 */
export async function revokeApp(prisma: KeyTables, appId: string): Promise<void> {
  const app = isUuid(appId) ? await prisma.apiKey.findFirst({ where: { id: appId, surface: 'a' } }) : null;
  if (!app) throw new AppError('NOT_FOUND', `there is no app ${appId}`);
  await prisma.apiKey.updateMany({ where: { id: appId, revokedAt: null }, data: { revokedAt: new Date() } });
}
