import type pg from 'pg';
import type { InboundChannel, InboundSms } from '../../carriers/inbound-message.js';
import type { Statement } from '../../platform/store/connections/pool.js';

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

/** A number in national form matches only if all channels that end with its digits have the same number. */
const FIND_BY_ENDING: Statement = {
  name: 'inbound-sms-find-channels-by-end',
  text: `SELECT DISTINCT ON (r.carrier, r.number) c.id, c.account_id AS "accountId", c.kind,
                c.phone_number AS "phoneNumber", r.carrier, r.number AS "writtenAs"
         FROM unnest($1::text[], $2::text[], $3::text[]) AS r(carrier, number, digits)
         JOIN channels c ON c.kind = 'sms' AND c.carrier = r.carrier AND c.deleted_at IS NULL
                        AND right(c.phone_number, length(r.digits)) = r.digits
         WHERE NOT EXISTS (
           SELECT FROM channels o WHERE o.kind = 'sms' AND o.carrier = r.carrier AND o.deleted_at IS NULL
             AND right(o.phone_number, length(r.digits)) = r.digits AND o.phone_number <> c.phone_number)
         ORDER BY r.carrier, r.number, NOT c.is_active, c.id`,
};

/** Numbers with fewer digits may be short codes. */
const MIN_NATIONAL_DIGITS = 7;

export async function findSmsChannelsByEnding(
  pool: pg.Pool,
  numbers: readonly Pick<InboundSms, 'carrier' | 'to'>[],
): Promise<(SmsChannel & { writtenAs: string })[]> {
  const nationalNumbers = numbers
    .map(({ carrier, to }) => ({ carrier, to, digits: to.replace(/^0+/, '') }))
    .filter(({ digits }) => /^\d+$/.test(digits) && digits.length >= MIN_NATIONAL_DIGITS);
  if (nationalNumbers.length === 0) return [];
  const { rows } = await pool.query<SmsChannel & { writtenAs: string }>({
    ...FIND_BY_ENDING,
    values: [
      nationalNumbers.map(({ carrier }) => carrier),
      nationalNumbers.map(({ to }) => to),
      nationalNumbers.map(({ digits }) => digits),
    ],
  });
  return rows;
}

/**
 * If several channels match, returns the oldest active channel. Inactive channels also receive messages, because a STOP
 * must count while their number may still be used as a sender ID.
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
