import type pg from 'pg';
import type { Logger } from 'pino';
import { type InboundChannel, receiveInbound } from '../conversations/inbound.js';
import type { Statement } from '../database/pool.js';
import type { Deps } from '../deps.js';
import type { InboundSms } from './carrier.js';

const FIND_CHANNELS: Statement = {
  name: 'inbound-sms-find-channels',
  text: `SELECT DISTINCT ON (r.carrier, r.number) c.id, c.account_id AS "accountId", c.kind,
                c.phone_number AS "phoneNumber", r.carrier
         FROM unnest($1::text[], $2::text[]) AS r(carrier, number)
         JOIN channels c ON c.kind = 'sms' AND c.carrier = r.carrier AND c.phone_number = r.number AND c.is_active
         ORDER BY r.carrier, r.number, c.id`,
};

type SmsChannel = InboundChannel & { carrier: string };

/**
 * Stores SMS that telephones sent, each in the channel of kind `sms` that has this carrier and this number. Where several
 * accounts have such a channel, the oldest gets it. One for a number that no channel has is logged and dropped, for its
 * carrier would repeat it for ever.
 */
export async function receiveSms(
  deps: Pick<Deps, 'pool' | 'clock'> & { log: Logger },
  messages: readonly InboundSms[],
): Promise<void> {
  const channels = await findChannels(deps.pool, messages);
  // One after the other: messages of one sender touch the same contact, and their order is kept.
  for (const message of messages) {
    const { carrier, carrierMessageId, from, to, body, receivedAt } = message;
    const channel = channels.get(keyOf(message));
    if (!channel) {
      deps.log.warn(
        { carrier, number: to, carrierMessageId },
        'an inbound SMS was dropped: no SMS channel has its number',
      );
      continue;
    }
    if (!/^\d{1,15}$/.test(from)) {
      deps.log.info({ carrier, number: to, carrierMessageId }, 'an inbound SMS was dropped: its sender is no number');
      continue;
    }
    const report = { carrierMessageId, from, type: 'text', body, payload: { body }, receivedAt };
    await receiveInbound(deps, channel, report);
  }
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
