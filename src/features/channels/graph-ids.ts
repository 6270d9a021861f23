import { createHash } from 'node:crypto';
import type { ChannelSettings } from '../../carriers/channel-settings.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import { isUuid } from '../../platform/ids.js';

export interface GraphChannel {
  id: string;
  /** Carrier name. */
  carrier: string;
  carrierSettings: unknown;
}

/** IDs, consisting only of digits, by which clients of Meta's Graph API identify a channel. */
export interface GraphIds {
  phoneNumberId: string;
  /** Owns the templates. */
  businessAccountId: string;
}

/** Returns Meta's phone number ID if the channel's carrier is Meta, or a stable ID derived from the channel's ID. */
export function toPhoneNumberId({ id, carrierSettings }: Pick<GraphChannel, 'id' | 'carrierSettings'>): string {
  return readTextSetting(carrierSettings, 'phoneNumberId') ?? deriveDigits('phone number', id);
}

/** @param carrierSettings settings of the carrier, used if the channel itself names no business account */
export function toGraphIds(channel: Omit<GraphChannel, 'carrier'>, carrierSettings: unknown): GraphIds {
  return {
    phoneNumberId: toPhoneNumberId(channel),
    businessAccountId:
      readTextSetting(channel.carrierSettings, 'businessAccountId') ??
      readTextSetting(carrierSettings, 'businessAccountId') ??
      deriveDigits('business account', channel.id),
  };
}

/** By channel ID. */
export async function findGraphIds(
  { prisma }: { prisma: Pick<PrismaClient, 'carrier'> },
  channels: readonly GraphChannel[],
): Promise<Map<string, GraphIds>> {
  const name = { in: [...new Set(channels.map(({ carrier }) => carrier))] };
  const carriers = await prisma.carrier.findMany({ where: { name }, select: { name: true, settings: true } });
  const settings = new Map(carriers.map((each) => [each.name, each.settings]));
  return new Map(channels.map((channel) => [channel.id, toGraphIds(channel, settings.get(channel.carrier))]));
}

export function deriveDigits(kind: string, id: string): string {
  const hash = createHash('sha256').update(`${kind} ${id}`).digest();
  return String(MIN_ID + (hash.readBigUInt64BE() % (9n * MIN_ID)));
}

const MIN_ID = 10n ** 14n;

function readTextSetting(settings: unknown, name: string): string | null {
  const value = (settings as ChannelSettings | null | undefined)?.[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Derives a message ID from ours, in Meta's format but shorter, so that it is known before the carrier answers. */
export function toSentMessageId(id: string): string {
  return `wamid.${id.replaceAll('-', '').toUpperCase()}`;
}

/** Extracts our ID from a derived message ID, and returns any other ID unchanged. */
export function parseSentMessageId(messageId: string): string {
  const digits = SENT_MESSAGE_ID_PATTERN.exec(messageId)?.[1];
  if (digits === undefined) return messageId;
  const id = digits.toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return isUuid(id) ? id : messageId;
}

const SENT_MESSAGE_ID_PATTERN = /^wamid\.([0-9A-F]{32})$/;
