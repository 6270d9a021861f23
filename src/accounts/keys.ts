import { createHash, randomBytes } from 'node:crypto';
import { AppError, invalidField } from '../platform/errors/app-error.js';
import { isLongerThan } from '../platform/errors/field-problems.js';
import type { ApiKey, PrismaClient, Surface } from '../platform/generated/prisma/client.js';
import { isUuid, newId } from '../platform/ids.js';
import { requireAccount } from './accounts.js';

/** Scopes of a Surface A key: `rest` allows its operations. */
export const APP_SCOPES: readonly string[] = ['rest'];
/** Scopes of a Surface B key: `full` allows every operation on the channels that the key is bound to. */
export const CHANNEL_KEY_SCOPES = [
  'full',
  'messages:send',
  'messages:read',
  'conversations:read',
  'conversations:write',
  'contacts:read',
  'contacts:write',
  'media:read',
  'media:write',
  'templates:read',
  'templates:write',
  'campaigns:read',
  'campaigns:write',
  'automations:read',
  'automations:write',
  'webhooks:read',
  'webhooks:write',
  'account:read',
  'account:write',
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

/** Key and secret as one bearer token, for clients that know of one alone. Neither has a point in it. */
export function bearerToken({ key, secret }: Pick<NewChannelKey, 'key' | 'secret'>): string {
  return `${key}.${secret}`;
}

/** Most characters of a key's name. */
const MAX_NAME = 100;

/** An app as operators see it: without the hashes of its key. */
export type App = Omit<ApiKey, 'keyHash' | 'secretHash'>;

/** A Surface B key as operators see it. */
export interface ListedChannelKey extends App {
  /** Ids of the channels that it is bound to, the oldest first. */
  channelIds: string[];
}

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
  if (isLongerThan(name, MAX_NAME)) throw invalidField('name', `must have at most ${MAX_NAME} characters`);
  const scopes = [...new Set(input.scopes)];
  const unknown = scopes.find((scope) => !known.includes(scope));
  if (unknown !== undefined) throw invalidField('scopes', `has no ${unknown}; there is ${known.join(', ')}`);
  return { name, scopes };
}

/** What is stored of a new key besides the account, its name and its scopes. */
function newKeyRow(key: string) {
  return { id: newId(), keyHash: hashKey(key), lastFour: key.slice(-4) };
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
  const row = newKeyRow(key);
  await prisma.apiKey.create({ data: { ...row, accountId: input.accountId, surface: 'a', name, scopes } });
  return { id: row.id, key };
}

/**
 * Makes a Surface B key and secret, bound to channels of the account. Those of kind `sms` have contacts, conversations
 * and webhooks; they send by Surface A.
 * @throws {AppError} INVALID_REQUEST for an empty name, an unknown scope or no channel, NOT_FOUND for an unknown account
 * or channel
 */
export async function createChannelKey(
  prisma: KeyTables & Pick<PrismaClient, 'channel'>,
  input: { accountId: string; name: string; scopes: readonly string[]; channelIds: readonly string[] },
): Promise<NewChannelKey> {
  const { name, scopes } = checked(input, CHANNEL_KEY_SCOPES);
  await requireAccount(prisma, input.accountId);
  // As PostgreSQL tells ids apart.
  const channelIds = [...new Set(input.channelIds.map((id) => id.toLowerCase()))];
  if (channelIds.length === 0) throw invalidField('channels', 'must name at least one');
  for (const id of channelIds) {
    const channel = isUuid(id)
      ? await prisma.channel.findFirst({ where: { id, accountId: input.accountId, deletedAt: null } })
      : null;
    if (!channel) throw new AppError('NOT_FOUND', `the account has no channel ${id}`);
  }
  const key = randomKey('hg_live_');
  const secret = randomKey('hg_secret_');
  const row = newKeyRow(key);
  const channels = { create: channelIds.map((channelId) => ({ channelId })) };
  const rest = {
    accountId: input.accountId,
    surface: 'b',
    name,
    scopes,
    secretHash: hashKey(secret),
    channels,
  } as const;
  await prisma.apiKey.create({ data: { ...row, ...rest } });
  return { id: row.id, key, secret };
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

/** The Surface B keys of one account or of all, revoked ones included, the oldest first. */
export async function listChannelKeys(prisma: KeyTables, accountId?: string): Promise<ListedChannelKey[]> {
  if (accountId !== undefined) await requireAccount(prisma, accountId);
  const keys = await prisma.apiKey.findMany({
    where: { surface: 'b', accountId },
    omit: { keyHash: true, secretHash: true },
    include: { channels: { select: { channelId: true }, orderBy: { channelId: 'asc' } } },
    orderBy: { id: 'asc' },
  });
  return keys.map(({ channels, ...key }) => ({ ...key, channelIds: channels.map(({ channelId }) => channelId) }));
}

/** A key that is ended; `isNew`: it was good until now. */
export type RevokedKey = Pick<ApiKey, 'id' | 'accountId' | 'name'> & { isNew: boolean };

/**
 * Ends a Surface A key for good. Every running server refuses it within seconds. Once more changes nothing.
 * @param accountId whose it must be; anybody's unless told
 * @throws {AppError} NOT_FOUND when there is no such app
 */
export function revokeApp(prisma: KeyTables, appId: string, at: Date, accountId?: string): Promise<RevokedKey> {
  return revoke(prisma, { id: appId, surface: 'a', accountId }, at, 'app');
}

/**
 * Ends a Surface B key for good. Every running server refuses it within two seconds. Once more changes nothing.
 * @param accountId whose it must be; anybody's unless told
 * @throws {AppError} NOT_FOUND when there is no such key
 */
export function revokeChannelKey(prisma: KeyTables, keyId: string, at: Date, accountId?: string): Promise<RevokedKey> {
  return revoke(prisma, { id: keyId, surface: 'b', accountId }, at, 'key');
}

async function revoke(
  prisma: KeyTables,
  which: { id: string; surface: Surface; accountId: string | undefined },
  at: Date,
  what: string,
): Promise<RevokedKey> {
  const { id } = which;
  const select = { id: true, accountId: true, name: true };
  const key = isUuid(id) ? await prisma.apiKey.findFirst({ where: which, select }) : null;
  if (!key) throw new AppError('NOT_FOUND', `there is no ${what} ${id}`);
  const { count } = await prisma.apiKey.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: at } });
  return { ...key, isNew: count === 1 };
}
