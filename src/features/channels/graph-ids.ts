import { createHash } from 'node:crypto';
import type { ChannelSettings } from '../../carriers/channel-settings.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import { isUuid } from '../../platform/ids.js';

/** A channel as its ids in Meta's Graph API are made of it. */
export interface GraphChannel {
  id: string;
  /** Name of its carrier. */
  carrier: string;
  carrierSettings: unknown;
}

/** By which clients of Meta's Graph API name a channel: digits alone. */
export interface GraphIds {
  phoneNumberId: string;
  /** Of the business account, which holds the templates. */
  businessAccountId: string;
}

/**
 * Meta's own id of the number, where the carrier of the channel is Meta's; else one that is made of the channel's id, and
 * stays as long as the channel.
 */
export function phoneNumberIdOf({ id, carrierSettings }: Pick<GraphChannel, 'id' | 'carrierSettings'>): string {
  return settingOf(carrierSettings, 'phoneNumberId') ?? digitsOf('phone number', id);
}

/**
 * The ids of a channel.
 * @param carrierSettings those of its carrier, which names the business account of channels that name none
 */
export function graphIdsOf(channel: Omit<GraphChannel, 'carrier'>, carrierSettings: unknown): GraphIds {
  return {
    phoneNumberId: phoneNumberIdOf(channel),
    businessAccountId:
      settingOf(channel.carrierSettings, 'businessAccountId') ??
      settingOf(carrierSettings, 'businessAccountId') ??
      digitsOf('business account', channel.id),
  };
}

/** The ids of channels, by the channel's id. */
export async function findGraphIds(
  { prisma }: { prisma: Pick<PrismaClient, 'carrier'> },
  channels: readonly GraphChannel[],
): Promise<Map<string, GraphIds>> {
  const name = { in: [...new Set(channels.map(({ carrier }) => carrier))] };
  const carriers = await prisma.carrier.findMany({ where: { name }, select: { name: true, settings: true } });
  const settings = new Map(carriers.map((each) => [each.name, each.settings]));
  return new Map(channels.map((channel) => [channel.id, graphIdsOf(channel, settings.get(channel.carrier))]));
}

/** An id of digits for something that has one of ours, such as a template. */
export function digitsOf(what: string, id: string): string {
  const hash = createHash('sha256').update(`${what} ${id}`).digest();
  return String(SMALLEST + (hash.readBigUInt64BE() % (9n * SMALLEST)));
}

/** Fifteen digits, as many as most of Meta's ids have. */
const SMALLEST = 10n ** 14n;

function settingOf(settings: unknown, name: string): string | null {
  const value = (settings as ChannelSettings | null | undefined)?.[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

/**
 * What a client of Meta's API calls a message that was sent: our id of it, and so known before its carrier has answered. The
 * ids that Meta makes are longer.
 */
export function sentMessageId(id: string): string {
  return `wamid.${id.replaceAll('-', '').toUpperCase()}`;
}

/** Our id of a message, of what `sentMessageId` made of it; any other id as it is. */
export function ownMessageId(given: string): string {
  const digits = SENT.exec(given)?.[1];
  if (digits === undefined) return given;
  const id = digits.toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return isUuid(id) ? id : given;
}

const SENT = /^wamid\.([0-9A-F]{32})$/;
