import { requireAccount } from '../accounts/accounts.js';
import { AppError, invalidField } from '../errors.js';
import type { Channel, PrismaClient } from '../generated/prisma/client.js';
import { newId } from '../ids.js';

type ChannelTables = Pick<PrismaClient, 'account' | 'channel'>;

export interface NewChannel {
  accountId: string;
  kind: 'sms' | 'whatsapp';
  name: string;
  /** Digits with country code. */
  phoneNumber: string;
  /** Name of a carrier in src/carriers. */
  carrier: string;
  /** Sends what names no channel; at most one per account and kind. */
  isDefault: boolean;
}

/**
 * Makes a channel.
 * @throws {AppError} INVALID_REQUEST for an empty name or a malformed number, NOT_FOUND for an unknown account, CONFLICT when the account
 * has a channel of the kind with this number, or a default already
 */
export async function createChannel(prisma: ChannelTables, input: NewChannel): Promise<Channel> {
  const name = input.name.trim();
  if (name === '') throw invalidField('name', 'must not be empty');
  if (!/^[1-9]\d{6,14}$/.test(input.phoneNumber)) throw invalidField('phoneNumber', 'must be 7 to 15 digits');
  await requireAccount(prisma, input.accountId);
  const { accountId, kind, phoneNumber, isDefault } = input;
  const rivals = isDefault ? [{ phoneNumber }, { isDefault }] : [{ phoneNumber }];
  const rival = await prisma.channel.findFirst({ where: { accountId, kind, OR: rivals } });
  if (rival) {
    const what = rival.phoneNumber === phoneNumber ? `a ${kind} channel with this number` : `a default ${kind} channel`;
    throw new AppError('CONFLICT', `the account has ${what} already`);
  }
  return prisma.channel.create({ data: { id: newId(), ...input, name } });
}

/**
 * The channels of one account or of all, the oldest first.
 * @throws {AppError} NOT_FOUND for an unknown account
 */
export async function listChannels(prisma: ChannelTables, accountId?: string): Promise<Channel[]> {
  if (accountId !== undefined) await requireAccount(prisma, accountId);
  return prisma.channel.findMany({ where: { accountId }, orderBy: { id: 'asc' } });
}
