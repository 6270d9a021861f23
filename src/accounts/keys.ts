import { createHash, randomBytes } from 'node:crypto';
import { AppError, invalidField } from '../platform/errors/app-error.js';
import { isLongerThan } from '../platform/errors/field-problems.js';
import type { ApiKey, PrismaClient, Surface } from '../platform/generated/prisma/client.js';
import { isUuid, newId } from '../platform/ids.js';
import { requireAccount } from './accounts.js';

/** For Surface A. `rest` allows every operation. */
export const APP_SCOPES: readonly string[] = ['rest'];
/** For Surface B. The scope `full` allows every operation on the key's channels. */
export const CHANNEL_KEY_SCOPES = [
  'full',
  'messages:send',
  'messages:read',
  'conversations:read',
  'conversations:write',
  'contacts:read',
  'contacts:write',
  'consent:read',
  'consent:write',
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
export type OperationScope = Exclude<ChannelKeyScope, 'full'>;

type KeyTables = Pick<PrismaClient, 'account' | 'apiKey'>;

/** Only the hash of an API key is stored, so the key can be shown only once. */
export interface NewAppKey {
  id: string;
  key: string;
}

export interface NewChannelKey extends NewAppKey {
  secret: string;
}

/**
 * Joins a key and its secret with a dot, which neither of them contains, for clients that support only one credential.
 */
export function buildBearerToken({ key, secret }: Pick<NewChannelKey, 'key' | 'secret'>): string {
  return `${key}.${secret}`;
}

const MAX_NAME = 100;

export type App = Omit<ApiKey, 'keyHash' | 'secretHash'>;

export interface ListedChannelKey extends App {
  /** Oldest first. */
  channelIds: string[];
}

/** API keys have 256 random bits, so a fast hash is sufficient. */
export function hashKey(key: string): Buffer<ArrayBuffer> {
  return createHash('sha256').update(key, 'utf8').digest();
}

function generateKey(prefix: 'hg_live_' | 'hg_secret_'): string {
  return prefix + randomBytes(32).toString('base64url');
}

function validateKeyInput(input: { name: string; scopes: readonly string[] }, allowedScopes: readonly string[]) {
  const name = input.name.trim();
  if (name === '') throw invalidField('name', 'must not be empty');
  if (isLongerThan(name, MAX_NAME)) throw invalidField('name', `must have at most ${MAX_NAME} characters`);
  const scopes = [...new Set(input.scopes)];
  const unknown = scopes.find((scope) => !allowedScopes.includes(scope));
  if (unknown !== undefined)
    throw invalidField('scopes', `has no ${unknown}; the scopes are ${allowedScopes.join(', ')}`);
  return { name, scopes };
}

function createKeyRow(key: string) {
  return { id: newId(), keyHash: hashKey(key), lastFour: key.slice(-4) };
}

export async function createAppKey(
  prisma: KeyTables,
  input: { accountId: string; name: string; scopes: readonly string[] },
): Promise<NewAppKey> {
  const { name, scopes } = validateKeyInput(input, APP_SCOPES);
  await requireAccount(prisma, input.accountId);
  const key = generateKey('hg_live_');
  const row = createKeyRow(key);
  await prisma.apiKey.create({ data: { ...row, accountId: input.accountId, surface: 'a', name, scopes } });
  return { id: row.id, key };
}

/**
 * Keys for `sms` channels cannot send messages, because SMS are sent through Surface A.
 * @throws {AppError} INVALID_REQUEST, NOT_FOUND
 */
export async function createChannelKey(
  prisma: KeyTables & Pick<PrismaClient, 'channel'>,
  input: { accountId: string; name: string; scopes: readonly string[]; channelIds: readonly string[] },
): Promise<NewChannelKey> {
  const { name, scopes } = validateKeyInput(input, CHANNEL_KEY_SCOPES);
  await requireAccount(prisma, input.accountId);
  // Channel IDs are compared without regard to case, because they are UUIDs.
  const channelIds = [...new Set(input.channelIds.map((id) => id.toLowerCase()))];
  if (channelIds.length === 0) throw invalidField('channels', 'must name at least one');
  for (const id of channelIds) {
    const channel = isUuid(id)
      ? await prisma.channel.findFirst({ where: { id, accountId: input.accountId, deletedAt: null } })
      : null;
    if (!channel) throw new AppError('NOT_FOUND', `the account has no channel ${id}`);
  }
  const key = generateKey('hg_live_');
  const secret = generateKey('hg_secret_');
  const row = createKeyRow(key);
  const channels = { create: channelIds.map((channelId) => ({ channelId })) };
  const channelKeyFields = {
    accountId: input.accountId,
    surface: 'b',
    name,
    scopes,
    secretHash: hashKey(secret),
    channels,
  } as const;
  await prisma.apiKey.create({ data: { ...row, ...channelKeyFields } });
  return { id: row.id, key, secret };
}

/** Lists apps from oldest to newest, including revoked apps. */
export async function listApps(prisma: KeyTables, accountId?: string): Promise<App[]> {
  if (accountId !== undefined) await requireAccount(prisma, accountId);
  return prisma.apiKey.findMany({
    where: { surface: 'a', accountId },
    omit: { keyHash: true, secretHash: true },
    orderBy: { id: 'asc' },
  });
}

/** Lists API keys from oldest to newest, including revoked keys. */
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

/** `isNew` is false if the API key had already been revoked. */
export type RevokedKey = Pick<ApiKey, 'id' | 'accountId' | 'name'> & { isNew: boolean };

export function revokeApp(prisma: KeyTables, appId: string, revokedAt: Date, accountId?: string): Promise<RevokedKey> {
  return revokeKey(prisma, { id: appId, surface: 'a', accountId }, revokedAt, 'app');
}

export function revokeChannelKey(
  prisma: KeyTables,
  keyId: string,
  revokedAt: Date,
  accountId?: string,
): Promise<RevokedKey> {
  return revokeKey(prisma, { id: keyId, surface: 'b', accountId }, revokedAt, 'key');
}

async function revokeKey(
  prisma: KeyTables,
  criteria: { id: string; surface: Surface; accountId: string | undefined },
  revokedAt: Date,
  keyType: string,
): Promise<RevokedKey> {
  const { id } = criteria;
  const select = { id: true, accountId: true, name: true };
  const key = isUuid(id) ? await prisma.apiKey.findFirst({ where: criteria, select }) : null;
  if (!key) throw new AppError('NOT_FOUND', `there is no ${keyType} ${id}`);
  const { count } = await prisma.apiKey.updateMany({ where: { id, revokedAt: null }, data: { revokedAt } });
  return { ...key, isNew: count === 1 };
}
