import { requireAccount } from '../../accounts/accounts.js';
import { HEALTHY } from '../../carriers/carrier.js';
import type { SettingValues } from '../../carriers/settings.js';
import { checkCarrierUse, checkChannelIdentity } from '../../carriers/setup/carriers.js';
import { CARRIER_TYPES } from '../../carriers/types.js';
import { wakeMessagesOf } from '../../messages/send/wake-store.js';
import { AppError, invalidField } from '../../platform/errors/app-error.js';
import { type Channel, Prisma, type PrismaClient } from '../../platform/generated/prisma/client.js';
import { isUuid, newId } from '../../platform/ids.js';
import { isUniqueViolation } from '../../platform/store/prisma-errors.js';
import type { Connection } from '../../platform/store/within.js';

type ChannelTables = Pick<PrismaClient, 'account' | 'carrier' | 'channel' | 'route'>;

export interface NewChannel {
  accountId: string;
  kind: 'sms' | 'whatsapp';
  name: string;
  /** Digits with country code. */
  phoneNumber: string;
  /** `simulator`, or the name of a carrier that is set up. */
  carrier: string;
  /** What the carrier must know of it. */
  carrierSettings?: SettingValues;
  /** Sends what names no channel; at most one per account and kind. */
  isDefault: boolean;
}

/**
 * Makes a channel.
 * @throws {AppError} INVALID_REQUEST for an empty name, a malformed number, an unknown carrier or settings that it
 * refuses, NOT_FOUND for an unknown account, CONFLICT when the account has a channel of the kind with this number or a
 * default already, or when another channel is the same at the carrier
 */
export async function createChannel(
  prisma: ChannelTables,
  { carrierSettings: given, ...input }: NewChannel,
  types = CARRIER_TYPES,
): Promise<Channel> {
  const name = input.name.trim();
  if (name === '') throw invalidField('name', 'must not be empty');
  if (!/^[1-9]\d{6,14}$/.test(input.phoneNumber)) throw invalidField('phoneNumber', 'must be 7 to 15 digits');
  await requireAccount(prisma, input.accountId);
  const { accountId, kind, phoneNumber, isDefault } = input;
  const rivals = isDefault ? [{ phoneNumber }, { isDefault }] : [{ phoneNumber }];
  const rival = await prisma.channel.findFirst({ where: { accountId, kind, deletedAt: null, OR: rivals } });
  if (rival) {
    const what = rival.phoneNumber === phoneNumber ? `a ${kind} channel with this number` : `a default ${kind} channel`;
    throw new AppError('CONFLICT', `the account has ${what} already`);
  }
  const settings = await checkCarrierUse(prisma, input.carrier, kind, given, types);
  await checkChannelIdentity(prisma, { carrier: input.carrier, settings }, types);
  const carrierSettings = settings === null ? undefined : (settings as Prisma.JsonObject);
  try {
    return await prisma.channel.create({ data: { id: newId(), ...input, name, carrierSettings } });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    // Somebody else made it since it was looked for.
    throw new AppError('CONFLICT', `the account has a ${kind} channel with this number, or a default one, already`);
  }
}

export interface ChannelChange {
  carrier?: string;
  /** Settings that get another value, by name. */
  set: SettingValues;
  /** Names of settings that are taken away. */
  unset: readonly string[];
  isActive?: boolean;
  at: Date;
}

/**
 * Gives a channel another carrier, or its carrier other settings. Settings of the carrier before stay only where the new
 * one is given no others. With another carrier or other settings it is healthy until its carrier says otherwise, and one
 * that was paused goes on.
 * @throws {AppError} NOT_FOUND for an unknown channel, INVALID_REQUEST as `createChannel`, CONFLICT when it becomes
 * the same at the carrier as another channel
 */
export async function changeChannel(
  prisma: ChannelTables,
  pool: Connection,
  id: string,
  { carrier, set, unset, isActive, at }: ChannelChange,
  types = CARRIER_TYPES,
): Promise<Channel> {
  const known = await requireChannel(prisma, id);
  const moves = carrier !== undefined && carrier !== known.carrier;
  const before = moves ? {} : ((known.carrierSettings ?? {}) as SettingValues);
  const kept = Object.fromEntries(Object.entries(before).filter(([name]) => !unset.includes(name)));
  const settings = await checkCarrierUse(prisma, carrier ?? known.carrier, known.kind, { ...kept, ...set }, types);
  const changes = Object.keys(set).length > 0 || unset.length > 0;
  if (moves || Object.keys(set).length > 0) {
    await checkChannelIdentity(prisma, { id, carrier: carrier ?? known.carrier, settings }, types);
  }
  const changed = await prisma.channel.update({
    where: { id },
    data: {
      carrier,
      carrierSettings: settings === null ? Prisma.DbNull : (settings as Prisma.JsonObject),
      isActive,
      // It is another account at another carrier.
      ...(moves && { standing: Prisma.DbNull }),
      ...((moves || changes) && resumed(at)),
    },
  });
  if (known.pausedAt && !changed.pausedAt) await wakeMessagesOf(pool, id);
  return changed;
}

/**
 * Lets a channel send again that its carrier had paused, and the messages that wait in it. One that is not paused stays
 * as it is.
 * @throws {AppError} NOT_FOUND for an unknown channel
 */
export async function resumeChannel(
  prisma: ChannelTables,
  pool: Connection,
  id: string,
  at: Date,
): Promise<{ wasPaused: boolean }> {
  await requireChannel(prisma, id);
  const { count } = await prisma.channel.updateMany({ where: { id, pausedAt: { not: null } }, data: resumed(at) });
  await wakeMessagesOf(pool, id);
  return { wasPaused: count > 0 };
}

/** What the carrier had against it is over, until it says so again. */
function resumed(at: Date) {
  return { healthStatus: HEALTHY, pausedAt: null, pauseCode: null, pauseReason: null, resumedAt: at };
}

/**
 * @param orDeleted those that were deleted count too, for what can be read of them
 * @throws {AppError} NOT_FOUND when the id is malformed or no channel has it
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

/**
 * A channel, locked until the transaction ends, so that what is read of it is what a change of it begins from.
 * @throws {AppError} NOT_FOUND as `requireChannel`
 */
export async function lockedChannel(prisma: Prisma.TransactionClient, id: string): Promise<Channel> {
  if (isUuid(id)) await prisma.$queryRaw`SELECT 1 FROM channels WHERE id = ${id}::uuid FOR NO KEY UPDATE`;
  return requireChannel(prisma, id);
}

/**
 * The channels of one account or of all, the oldest first: those that are there, or those that were deleted.
 * @throws {AppError} NOT_FOUND for an unknown account
 */
export async function listChannels(
  prisma: ChannelTables,
  accountId?: string,
  { deleted = false } = {},
): Promise<Channel[]> {
  if (accountId !== undefined) await requireAccount(prisma, accountId);
  const deletedAt = deleted ? { not: null } : null;
  return prisma.channel.findMany({ where: { accountId, deletedAt }, orderBy: { id: 'asc' } });
}
