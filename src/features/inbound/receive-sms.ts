import type pg from 'pg';
import type { Logger } from 'pino';
import {
  findOverdueMessages,
  toInboundKey as keyOfMessage,
  markStored,
  removeParts,
  removeStoredParts,
  storePart,
} from '../../carriers/inbound/part-store.js';
import { recordArrivals } from '../../carriers/inbound/unacknowledged-store.js';
import type { InboundChannel, InboundReport, InboundSms } from '../../carriers/inbound-message.js';
import type { MediaKind } from '../../carriers/media/media-types.js';
import { toInternational } from '../../carriers/numbers/national-numbers.js';
import { findCallingCode, isPhoneNumber } from '../../carriers/numbers/phone-numbers.js';
import { type ReceiveOptions, receiveInbound } from './receive.js';
import { findSmsChannels, findSmsChannelsByEnding } from './sms-channel-store.js';

export interface ReceiveSmsOptions extends ReceiveOptions {
  pool: pg.Pool;
  log: Logger;
  /** ID of this process, used to recognize messages that a killed process did not acknowledge. */
  processId?: string;
}

/**
 * If several accounts have an SMS channel with this carrier and number, the oldest active channel gets the message. A
 * message for an unknown number is dropped, because its carrier would otherwise repeat it forever.
 */
export async function receiveSms(options: ReceiveSmsOptions, messages: readonly InboundSms[]): Promise<void> {
  const channels = await findChannels(options.pool, messages);
  const adoptedIds = await recordUnacknowledged(options, messages);
  // Messages are processed one by one, because messages of one sender change the same contact and must stay in order.
  for (const reported of messages) {
    const channel = selectChannel(options.log, channels, reported);
    if (!channel) continue;
    const message = addCallingCode(channel, reported);
    const { concatenation } = message;
    const adoptedId = adoptedIds.get(message.carrierMessageId);
    const carrierMessageId = adoptedId ?? message.carrierMessageId;
    if (!concatenation) {
      await storeMessage(options, channel, { ...message, carrierMessageId });
      continue;
    }
    const part = { ...message, carrierMessageId, concatenation };
    const arrival = { isRepetition: adoptedId !== undefined, now: options.clock.now() };
    const complete = await storePart(options.pool, part, arrival);
    if (!complete) continue;
    await storeMessage(options, channel, complete);
    await markStored(options.pool, keyOfMessage(part), options.clock.now());
  }
}

/** Maps the carrier ID of a message to the ID under which a killed process recorded the same message. */
async function recordUnacknowledged(
  { pool, processId }: ReceiveSmsOptions,
  messages: readonly InboundSms[],
): Promise<Map<string, string>> {
  const arrivals = messages.flatMap(({ carrier, fingerprint, carrierMessageId: id }) =>
    fingerprint === undefined ? [] : [{ carrier, fingerprint, id }],
  );
  if (processId === undefined || arrivals.length === 0) return new Map();
  return recordArrivals(pool, processId, arrivals);
}

export async function receiveIncompleteSms(options: ReceiveSmsOptions): Promise<void> {
  await removeStoredParts(options.pool, options.clock.now());
  const overdue = await findOverdueMessages(options.pool, options.clock.now());
  const channels = await findChannels(
    options.pool,
    overdue.map(({ message }) => message),
  );
  for (const { key, message } of overdue) {
    const channel = selectChannel(options.log, channels, message);
    if (channel) await storeMessage(options, channel, message);
    await removeParts(options.pool, key);
  }
}

function selectChannel(
  log: Logger,
  channels: ReadonlyMap<string, InboundChannel>,
  message: InboundSms,
): InboundChannel | null {
  const { carrier, carrierMessageId, from, to, isGroupMessage } = message;
  const channel = channels.get(toChannelKey(message));
  if (!channel) {
    // A group MMS is normally also addressed to numbers that have no channel.
    log[isGroupMessage ? 'info' : 'warn'](
      { carrier, number: to, carrierMessageId },
      'an inbound SMS was dropped: no SMS channel has its number',
    );
    return null;
  }
  if (/^\d{1,15}$/.test(from)) return channel;
  log.info({ carrier, number: to, carrierMessageId }, 'an inbound SMS was dropped: its sender is not a phone number');
  return null;
}

/**
 * Adds the channel's calling code to a sender in national form, if numbers of that country can have the resulting
 * length. The length is checked because some SMSCs mark short codes and international numbers as national.
 */
function addCallingCode({ phoneNumber }: InboundChannel, message: InboundSms): InboundSms {
  if (!message.isNational) return message;
  const callingCode = isPhoneNumber(phoneNumber, 'calling-code') ? findCallingCode(phoneNumber) : null;
  const from = (callingCode && toInternational(message.from, callingCode)) ?? message.from;
  return { ...message, from, isNational: false };
}

async function storeMessage(options: ReceiveSmsOptions, channel: InboundChannel, message: InboundSms): Promise<void> {
  const { carrierMessageId, from, receivedAt } = message;
  for (const [index, content] of toContents(message).entries()) {
    const id = index === 0 ? carrierMessageId : `${carrierMessageId}/${index + 1}`;
    await receiveInbound(options, channel, { carrierMessageId: id, from, ...content, receivedAt });
  }
}

function toContents({ body, isBinary, files = [] }: InboundSms): Pick<InboundReport, 'type' | 'body' | 'payload'>[] {
  if (isBinary) return [{ type: 'binary', body: '', payload: { data: body } }];
  if (files.length === 0) return [{ type: 'text', body, payload: { body } }];
  return files.map(({ url, mimeType, filename }, index) => {
    const caption = index === 0 ? body : '';
    const payload = { id: url, mime_type: mimeType, filename, caption: caption || undefined };
    return { type: toMediaType(mimeType), body: caption, payload };
  });
}

function toMediaType(mimeType: string | null): MediaKind {
  const [kind] = (mimeType ?? '').split('/');
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'document';
}

async function findChannels(pool: pg.Pool, messages: readonly InboundSms[]): Promise<Map<string, InboundChannel>> {
  const requestedNumbers = [...new Map(messages.map((message) => [toChannelKey(message), message])).values()];
  const exactMatches = await findSmsChannels(pool, requestedNumbers);
  const channels = new Map<string, InboundChannel>(
    exactMatches.map(({ carrier, ...channel }) => [toChannelKey({ carrier, to: channel.phoneNumber }), channel]),
  );
  const unmatched = requestedNumbers.filter(
    (message) => !message.isGroupMessage && !channels.has(toChannelKey(message)),
  );
  for (const { carrier, writtenAs, ...channel } of await findSmsChannelsByEnding(pool, unmatched)) {
    channels.set(toChannelKey({ carrier, to: writtenAs }), channel);
  }
  return channels;
}

function toChannelKey({ carrier, to }: { carrier: string; to: string }): string {
  return `${carrier} ${to}`;
}
