import type pg from 'pg';
import type { InboundChannel, InboundSms } from '../../carriers/inbound-message.js';
import type { Statement } from '../../platform/store/connections/pool.js';

/** A channel of kind `sms`, and the name of its carrier. */
export type SmsChannel = InboundChannel & { carrier: string };

const FIND_CHANNELS: Statement = {
  name: 'inbound-sms-find-channels',
  text: `SELECT DISTINCT ON (r.carrier, r.number) c.id, c.account_id AS "accountId", c.kind,
                c.phone_number AS "phoneNumber", r.carrier
         FROM unnest($1::text[], $2::text[]) AS r(carrier, number)
         JOIN channels c ON c.kind = 'sms' AND c.carrier = r.carrier AND c.phone_number = r.number
                        AND c.deleted_at IS NULL
         ORDER BY r.carrier, r.number, NOT c.is_active, c.id`,
};

/**
 * The SMS channels of some numbers of carriers: the oldest active one where several have the same number. One that is switched off
 * still receives: a sender ID is no channel, so messages by its number go on, and a STOP to it must count.
 */
export async function findSmsChannels(
  pool: pg.Pool,
  numbers: readonly Pick<InboundSms, 'carrier' | 'to'>[],
): Promise<SmsChannel[]> {
  const { rows } = await pool.query<SmsChannel>({
    ...FIND_CHANNELS,
    values: [numbers.map(({ carrier }) => carrier), numbers.map(({ to }) => to)],
  });
  return rows;
}
