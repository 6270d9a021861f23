import type pg from 'pg';
import type { Logger } from 'pino';
import {
  findOverdue,
  keepPart,
  keyOf as keyOfMessage,
  markStored,
  removeParts,
  removeStored,
} from '../../carriers/inbound/part-store.js';
import { noteArrivals } from '../../carriers/inbound/unanswered-store.js';
import type { InboundChannel, InboundReport, InboundSms } from '../../carriers/inbound-message.js';
import type { MediaKind } from '../../carriers/media/media-types.js';
import { toInternational } from '../../carriers/numbers/national-numbers.js';
import { callingCodeOf, isPhoneNumber } from '../../carriers/numbers/phone-numbers.js';
import { type ReceiveOptions, receiveInbound } from './receive.js';
import { findSmsChannels, findSmsChannelsByEnd } from './sms-channel-store.js';

export interface ReceiveSmsOptions extends ReceiveOptions {
  pool: pg.Pool;
  log: Logger;
  /** Of this run of the process, by which messages are known that another one did not answer; left out where none comes. */
  processId?: string;
}

/**
 * Stores SMS that telephones sent, each in the channel of kind `sms` that has this carrier and this number. Where several
 * accounts have such a channel, the oldest active one gets it. One for a number that no channel has is logged and dropped, for its
 * carrier would repeat it for ever. A part of a longer message is kept until all of them have come.
 */
export async function receiveSms(options: ReceiveSmsOptions, messages: readonly InboundSms[]): Promise<void> {
  const channels = await findChannels(options.pool, messages);
  const known = await noteUnanswered(options, messages);
  // One after the other: messages of one sender touch the same contact, and their order is kept.
  for (const given of messages) {
    const channel = channelFor(options.log, channels, given);
    if (!channel) continue;
    const message = withCountry(channel, given);
    const { concatenation } = message;
    const knownId = known.get(message.carrierMessageId);
    const carrierMessageId = knownId ?? message.carrierMessageId;
    if (!concatenation) {
      await store(options, channel, { ...message, carrierMessageId });
      continue;
    }
    const part = { ...message, carrierMessageId, concatenation };
    const how = { isRepetition: knownId !== undefined, now: options.clock.now() };
    const whole = await keepPart(options.pool, part, how);
    if (!whole) continue;
    await store(options, channel, whole);
    await markStored(options.pool, keyOfMessage(part), options.clock.now());
  }
}

/** By the ids of messages those under which a process has stored them, or would have, that was killed before it answered. */
async function noteUnanswered(
  { pool, processId }: ReceiveSmsOptions,
  messages: readonly InboundSms[],
): Promise<Map<string, string>> {
  const arrivals = messages.flatMap(({ carrier, fingerprint, carrierMessageId: id }) =>
    fingerprint === undefined ? [] : [{ carrier, fingerprint, id }],
  );
  if (processId === undefined || arrivals.length === 0) return new Map();
  return noteArrivals(pool, processId, arrivals);
}

/** Stores those longer messages that have waited in vain for a part, as far as they came. */
export async function receiveIncompleteSms(options: ReceiveSmsOptions): Promise<void> {
  await removeStored(options.pool, options.clock.now());
  const overdue = await findOverdue(options.pool, options.clock.now());
  const channels = await findChannels(
    options.pool,
    overdue.map(({ message }) => message),
  );
  for (const { key, message } of overdue) {
    const channel = channelFor(options.log, channels, message);
    if (channel) await store(options, channel, message);
    await removeParts(options.pool, key);
  }
}

/** Null, and logged, when no channel is to have the message. */
function channelFor(
  log: Logger,
  channels: ReadonlyMap<string, InboundChannel>,
  message: InboundSms,
): InboundChannel | null {
  const { carrier, carrierMessageId, from, to, isOneOfSeveral } = message;
  const channel = channels.get(keyOf(message));
  if (!channel) {
    // Nobody is to be warned of the other members of a group.
    log[isOneOfSeveral ? 'info' : 'warn'](
      { carrier, number: to, carrierMessageId },
      'an inbound SMS was dropped: no SMS channel has its number',
    );
    return null;
  }
  if (/^\d{1,15}$/.test(from)) return channel;
  log.info({ carrier, number: to, carrierMessageId }, 'an inbound SMS was dropped: its sender is no number');
  return null;
}

/**
 * A sender in national form gets the calling code of the number that it wrote to, if a number of that country can have this length.
 * Otherwise it stays as the carrier wrote it: some SMSCs call short codes and international numbers national.
 */
function withCountry({ phoneNumber }: InboundChannel, message: InboundSms): InboundSms {
  if (!message.isNational) return message;
  const callingCode = isPhoneNumber(phoneNumber, 'calling-code') ? callingCodeOf(phoneNumber) : null;
  const from = (callingCode && toInternational(message.from, callingCode)) ?? message.from;
  return { ...message, from, isNational: false };
}

async function store(options: ReceiveSmsOptions, channel: InboundChannel, message: InboundSms): Promise<void> {
  const { carrierMessageId, from, receivedAt } = message;
  for (const [index, content] of contentsOf(message).entries()) {
    const id = index === 0 ? carrierMessageId : `${carrierMessageId}/${index + 1}`;
    await receiveInbound(options, channel, { carrierMessageId: id, from, ...content, receivedAt });
  }
}

/** A message shows one file. An MMS with several is as many messages, of which the first has the text. */
function contentsOf({ body, isBinary, files = [] }: InboundSms): Pick<InboundReport, 'type' | 'body' | 'payload'>[] {
  if (isBinary) return [{ type: 'binary', body: '', payload: { data: body } }];
  if (files.length === 0) return [{ type: 'text', body, payload: { body } }];
  return files.map(({ url, mimeType, filename }, index) => {
    const caption = index === 0 ? body : '';
    const payload = { id: url, mime_type: mimeType, filename, caption: caption || undefined };
    return { type: mediaTypeOf(mimeType), body: caption, payload };
  });
}

function mediaTypeOf(mimeType: string | null): MediaKind {
  const [kind] = (mimeType ?? '').split('/');
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'document';
}

async function findChannels(pool: pg.Pool, messages: readonly InboundSms[]): Promise<Map<string, InboundChannel>> {
  const wanted = [...new Map(messages.map((message) => [keyOf(message), message])).values()];
  const found = await findSmsChannels(pool, wanted);
  const channels = new Map<string, InboundChannel>(
    found.map(({ carrier, ...channel }) => [keyOf({ carrier, to: channel.phoneNumber }), channel]),
  );
  const others = wanted.filter((message) => !message.isOneOfSeveral && !channels.has(keyOf(message)));
  for (const { carrier, writtenAs, ...channel } of await findSmsChannelsByEnd(pool, others)) {
    channels.set(keyOf({ carrier, to: writtenAs }), channel);
  }
  return channels;
}

function keyOf({ carrier, to }: { carrier: string; to: string }): string {
  return `${carrier} ${to}`;
}
