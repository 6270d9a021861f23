import type pg from 'pg';
import type { Statement } from '../../../platform/store/connections/pool.js';
import type { InboundChannel } from '../../inbound-message.js';

/** A number at Meta, by the carrier that serves it. */
export interface MetaNumber {
  /** Name of the carrier. */
  carrier: string;
  /** Meta's id of it. */
  phoneNumberId: string;
}

const FIND: Statement = {
  name: 'whatsapp-cloud-find-channels',
  text: `SELECT DISTINCT ON (r.carrier, r.number) r.carrier, r.number AS "phoneNumberId", c.id,
                c.account_id AS "accountId", c.kind, c.phone_number AS "phoneNumber", c.deleted_at IS NOT NULL AS "isDeleted"
         FROM unnest($1::text[], $2::text[]) AS r(carrier, number)
         JOIN channels c ON c.kind = 'whatsapp' AND c.carrier = r.carrier
                        AND c.carrier_settings ->> 'phoneNumberId' = r.number
         ORDER BY r.carrier, r.number, c.deleted_at IS NOT NULL, c.id`,
};

/** A channel that is deleted is found where no other has the number: receipts of what it sent still come. */
export type FoundChannel = InboundChannel & { isDeleted: boolean };

/** The channels that have the numbers, by `keyOf` the number. */
export async function findChannels(
  pool: pg.Pool,
  numbers: readonly MetaNumber[],
): Promise<ReadonlyMap<string, FoundChannel>> {
  const wanted = [...new Map(numbers.map((each) => [keyOf(each), each])).values()];
  if (wanted.length === 0) return new Map();
  const { rows } = await pool.query<FoundChannel & MetaNumber>({
    ...FIND,
    values: [wanted.map(({ carrier }) => carrier), wanted.map(({ phoneNumberId }) => phoneNumberId)],
  });
  return new Map(
    rows.map(({ carrier, phoneNumberId, ...channel }) => [keyOf({ carrier, phoneNumberId }), channel] as const),
  );
}

/** A WhatsApp Business account at Meta, by the carrier that serves it. */
export interface MetaAccount {
  carrier: string;
  businessAccountId: string;
}

/** A channel that is of an account. */
export interface ChannelOfAccount extends MetaAccount {
  id: string;
  phoneNumber: string;
  phoneNumberId: string | null;
}

const OF_ACCOUNTS: Statement = {
  name: 'whatsapp-cloud-find-channels-of-accounts',
  text: `SELECT a.carrier, a.account AS "businessAccountId", c.id, c.phone_number AS "phoneNumber",
                c.carrier_settings ->> 'phoneNumberId' AS "phoneNumberId"
         FROM unnest($1::text[], $2::text[]) AS a(carrier, account)
         JOIN carriers k ON k.name = a.carrier
         JOIN channels c ON c.kind = 'whatsapp' AND c.carrier = a.carrier AND c.deleted_at IS NULL
           AND coalesce(c.carrier_settings ->> 'businessAccountId', k.settings ->> 'businessAccountId') = a.account
         ORDER BY c.id`,
};

/** The channels whose numbers belong to the accounts, deleted ones left out. */
export async function findChannelsOfAccounts(
  pool: pg.Pool,
  accounts: readonly MetaAccount[],
): Promise<ChannelOfAccount[]> {
  const wanted = [...new Map(accounts.map((each) => [`${each.carrier} ${each.businessAccountId}`, each])).values()];
  if (wanted.length === 0) return [];
  const values = [wanted.map(({ carrier }) => carrier), wanted.map(({ businessAccountId }) => businessAccountId)];
  return (await pool.query<ChannelOfAccount>({ ...OF_ACCOUNTS, values })).rows;
}

export function keyOf({ carrier, phoneNumberId }: MetaNumber): string {
  return `${carrier} ${phoneNumberId}`;
}
