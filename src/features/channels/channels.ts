import { requireAccount } from '../../accounts/accounts.js';
import { HEALTHY } from '../../carriers/carrier.js';
import type { SettingValues } from '../../carriers/settings.js';
import { checkCarrierUse, checkChannelIdentity } from '../../carriers/setup/carriers.js';
import { CARRIER_TYPES } from '../../carriers/types.js';
import { wakeChannelMessages } from '../../messages/send/wake-store.js';
import { AppError, invalidField } from '../../platform/errors/app-error.js';
import { type Channel, Prisma, type PrismaClient } from '../../platform/generated/prisma/client.js';
import { isUuid, newId } from '../../platform/ids.js';
import { isUniqueViolation } from '../../platform/store/prisma-errors.js';
import type { Connection } from '../../platform/store/with-transaction.js';

type ChannelTables = Pick<PrismaClient, 'account' | 'carrier' | 'channel' | 'route'>;

export interface NewChannel {
  accountId: string;
  kind: 'sms' | 'whatsapp';
  name: string;
  /** Digits with country code. */
  phoneNumber: string;
  /** `simulator`, or the name of a configured carrier. */
  carrier: string;
  /** Required by the carrier. */
  carrierSettings?: SettingValues;
  /** The only default channel of its account and kind, used for requests that name no channel. */
  isDefault: boolean;
}

/**
 * @throws {AppError} INVALID_REQUEST for an empty name, a malformed number, an unknown carrier or invalid settings.
 * NOT_FOUND for an unknown account, or CONFLICT if the number or the carrier's identity is in use or the account
 * already has a default channel
 */
export async function createChannel(
  prisma: ChannelTables,
  { carrierSettings: inputSettings, ...input }: NewChannel,
  types = CARRIER_TYPES,
): Promise<Channel> {
  const name = input.name.trim();
  if (name === '') throw invalidField('name', 'must not be empty');
  if (!/^[1-9]\d{6,14}$/.test(input.phoneNumber)) throw invalidField('phoneNumber', 'must be 7 to 15 digits');
  await requireAccount(prisma, input.accountId);
  const { accountId, kind, phoneNumber, isDefault } = input;
  const conflicts = isDefault ? [{ phoneNumber }, { isDefault }] : [{ phoneNumber }];
  const existing = await prisma.channel.findFirst({ where: { accountId, kind, deletedAt: null, OR: conflicts } });
  if (existing) {
    const description =
      existing.phoneNumber === phoneNumber ? `a ${kind} channel with this number` : `a default ${kind} channel`;
    throw new AppError('CONFLICT', `the account already has ${description}`);
  }
  const settings = await checkCarrierUse(prisma, input.carrier, kind, inputSettings, types);
  await checkChannelIdentity(prisma, { carrier: input.carrier, settings }, types);
  const carrierSettings = settings === null ? undefined : (settings as Prisma.JsonObject);
  try {
    return await prisma.channel.create({ data: { id: newId(), ...input, name, carrierSettings } });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    // A concurrent request has created a conflicting channel first.
    throw new AppError('CONFLICT', `the account already has a ${kind} channel with this number, or a default one`);
  }
}

export interface ChannelChange {
  carrier?: string;
  set: SettingValues;
  unset: readonly string[];
  isActive?: boolean;
  at: Date;
}

/**
 * Drops the previous carrier's settings if the carrier changes. If the carrier or a setting changes, the channel counts
 * as healthy and is resumed.
 * @throws {AppError} NOT_FOUND for an unknown channel, INVALID_REQUEST as for `createChannel`, or CONFLICT if another
 * channel has the same identity at the carrier
 */
export async function changeChannel(
  prisma: ChannelTables,
  pool: Connection,
  id: string,
  { carrier, set, unset, isActive, at }: ChannelChange,
  types = CARRIER_TYPES,
): Promise<Channel> {
  const channel = await requireChannel(prisma, id);
  const changesCarrier = carrier !== undefined && carrier !== channel.carrier;
  const previousSettings = changesCarrier ? {} : ((channel.carrierSettings ?? {}) as SettingValues);
  const keptSettings = Object.fromEntries(Object.entries(previousSettings).filter(([name]) => !unset.includes(name)));
  const settings = await checkCarrierUse(
    prisma,
    carrier ?? channel.carrier,
    channel.kind,
    { ...keptSettings, ...set },
    types,
  );
  const changesSettings = Object.keys(set).length > 0 || unset.length > 0;
  if (changesCarrier || Object.keys(set).length > 0) {
    await checkChannelIdentity(prisma, { id, carrier: carrier ?? channel.carrier, settings }, types);
  }
  const updated = await prisma.channel.update({
    where: { id },
    data: {
      carrier,
      carrierSettings: settings === null ? Prisma.DbNull : (settings as Prisma.JsonObject),
      isActive,
      ...(changesCarrier && { standing: Prisma.DbNull }),
      ...((changesCarrier || changesSettings) && toHealthyState(at)),
    },
  });
  if (channel.pausedAt && !updated.pausedAt) await wakeChannelMessages(pool, id);
  return updated;
}

/**
 * Resumes the channel and its waiting messages.
 * @throws {AppError} NOT_FOUND
 */
export async function resumeChannel(
  prisma: ChannelTables,
  pool: Connection,
  id: string,
  now: Date,
): Promise<{ wasPaused: boolean }> {
  await requireChannel(prisma, id);
  const { count } = await prisma.channel.updateMany({
    where: { id, pausedAt: { not: null } },
    data: toHealthyState(now),
  });
  await wakeChannelMessages(pool, id);
  return { wasPaused: count > 0 };
}

function toHealthyState(resumedAt: Date) {
  return { healthStatus: HEALTHY, pausedAt: null, pauseCode: null, pauseReason: null, resumedAt };
}

/**
 * @param orDeleted Also finds deleted channels, whose data can still be read.
 * @throws {AppError} NOT_FOUND for a malformed or unknown ID
 */
export async function requireChannel(
  prisma: Pick<PrismaClient, 'channel'>,
  id: string,
  { orDeleted = false } = {},
): Promise<Channel> {
  const channel = isUuid(id) ? await prisma.channel.findUnique({ where: { id } }) : null;
  if (!channel || (channel.deletedAt && !orDeleted)) throw new AppError('NOT_FOUND', `there is no channel ${id}`);
  return channel;
}

/** @throws {AppError} NOT_FOUND as `requireChannel` */
export async function findAndLockChannel(prisma: Prisma.TransactionClient, id: string): Promise<Channel> {
  if (isUuid(id)) await prisma.$queryRaw`SELECT 1 FROM channels WHERE id = ${id}::uuid FOR NO KEY UPDATE`;
  return requireChannel(prisma, id);
}

/** @throws {AppError} NOT_FOUND for unknown accounts */
export async function listChannels(
  prisma: ChannelTables,
  accountId?: string,
  { deleted = false } = {},
): Promise<Channel[]> {
  if (accountId !== undefined) await requireAccount(prisma, accountId);
  const deletedAt = deleted ? { not: null } : null;
  return prisma.channel.findMany({ where: { accountId, deletedAt }, orderBy: { id: 'asc' } });
}
