import type pg from 'pg';
import type { Logger } from 'pino';
import type { InboundSms } from '../../carriers/carrier.js';
import { findOverdue, keepPart, keyOf as keyOfMessage, removeParts } from '../../carriers/inbound/inbound-parts.js';
import type { Statement } from '../../platform/store/pool.js';
import type { Deps } from '../../process/deps.js';
import { type InboundChannel, receiveInbound } from './receive.js';

const FIND_CHANNELS: Statement = {
  name: 'inbound-sms-find-channels',
  text: `SELECT DISTINCT ON (r.carrier, r.number) c.id, c.account_id AS "accountId", c.kind,
                c.phone_number AS "phoneNumber", r.carrier
         FROM unnest($1::text[], $2::text[]) AS r(carrier, number)
         JOIN channels c ON c.kind = 'sms' AND c.carrier = r.carrier AND c.phone_number = r.number AND c.is_active
         ORDER BY r.carrier, r.number, c.id`,
};

type SmsChannel = InboundChannel & { carrier: string };

type Receiving = Pick<Deps, 'pool' | 'clock'> & { log: Logger };

/**
 * Stores SMS that telephones sent, each in the channel of kind `sms` that has this carrier and this number. Where several
 * accounts have such a channel, the oldest gets it. One for a number that no channel has is logged and dropped, for its
 * carrier would repeat it for ever. A part of a longer message is kept until all of them have come.
 */
export async function receiveSms(deps: Receiving, messages: readonly InboundSms[]): Promise<void> {
  const channels = await findChannels(deps.pool, messages);
  // One after the other: messages of one sender touch the same contact, and their order is kept.
  for (const message of messages) {
    const channel = channelFor(deps.log, channels, message);
    if (!channel) continue;
    const { concatenation } = message;
    if (!concatenation) {
      await store(deps, channel, message);
      continue;
    }
    const part = { ...message, concatenation };
    const whole = await keepPart(deps.pool, part);
    if (!whole) continue;
    await store(deps, channel, whole);
    await removeParts(deps.pool, keyOfMessage(part));
  }
}

/** Stores those longer messages that have waited in vain for a part, as far as they came. */
export async function receiveIncompleteSms(deps: Receiving): Promise<void> {
  const overdue = await findOverdue(deps.pool, deps.clock.now());
  const channels = await findChannels(
    deps.pool,
    overdue.map(({ message }) => message),
  );
  for (const { key, message } of overdue) {
    const channel = channelFor(deps.log, channels, message);
    if (channel) await store(deps, channel, message);
    await removeParts(deps.pool, key);
  }
}

/** Null, and logged, when nobody is to have the message. */
function channelFor(
  log: Logger,
  channels: ReadonlyMap<string, InboundChannel>,
  message: InboundSms,
): InboundChannel | null {
  const { carrier, carrierMessageId, from, to } = message;
  const channel = channels.get(keyOf(message));
  if (!channel) {
    log.warn({ carrier, number: to, carrierMessageId }, 'an inbound SMS was dropped: no SMS channel has its number');
    return null;
  }
  if (/^\d{1,15}$/.test(from)) return channel;
  log.info({ carrier, number: to, carrierMessageId }, 'an inbound SMS was dropped: its sender is no number');
  return null;
}

async function store(deps: Receiving, channel: InboundChannel, message: InboundSms): Promise<void> {
  const { carrierMessageId, from, body, receivedAt } = message;
  await receiveInbound(deps, channel, {
    carrierMessageId,
    from,
    type: 'text',
    body,
    payload: { body },
    receivedAt,
  });
}

async function findChannels(pool: pg.Pool, messages: readonly InboundSms[]): Promise<Map<string, InboundChannel>> {
  const wanted = [...new Map(messages.map((message) => [keyOf(message), message])).values()];
  const { rows } = await pool.query<SmsChannel>({
    ...FIND_CHANNELS,
    values: [wanted.map(({ carrier }) => carrier), wanted.map(({ to }) => to)],
  });
  return new Map(rows.map(({ carrier, ...channel }) => [keyOf({ carrier, to: channel.phoneNumber }), channel]));
}

function keyOf({ carrier, to }: { carrier: string; to: string }): string {
  return `${carrier} ${to}`;
}
