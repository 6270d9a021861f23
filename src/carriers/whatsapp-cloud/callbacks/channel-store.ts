import type pg from 'pg';
import type { Statement } from '../../../platform/store/connections/pool.js';
import type { InboundChannel } from '../../inbound-message.js';

export interface MetaNumber {
  carrier: string;
  /** Meta's ID for the number. */
  phoneNumberId: string;
}

const FIND_CHANNELS: Statement = {
  name: 'whatsapp-cloud-find-channels',
  text: `SELECT DISTINCT ON (r.carrier, r.number) r.carrier, r.number AS "phoneNumberId", c.id,
                c.account_id AS "accountId", c.kind, c.phone_number AS "phoneNumber", c.deleted_at IS NOT NULL AS "isDeleted"
         FROM unnest($1::text[], $2::text[]) AS r(carrier, number)
         JOIN channels c ON c.kind = 'whatsapp' AND c.carrier = r.carrier
                        AND c.carrier_settings ->> 'phoneNumberId' = r.number
         ORDER BY r.carrier, r.number, c.deleted_at IS NOT NULL, c.id`,
};

/**
 * A deleted channel is returned only if no active channel has the number, because receipts for the deleted channel
 * still arrive.
 */
export type FoundChannel = InboundChannel & { isDeleted: boolean };

/** The keys of the returned map are created with `toNumberKey`. */
export async function findChannels(
  pool: pg.Pool,
  numbers: readonly MetaNumber[],
): Promise<ReadonlyMap<string, FoundChannel>> {
  const uniqueNumbers = [...new Map(numbers.map((number) => [toNumberKey(number), number])).values()];
  if (uniqueNumbers.length === 0) return new Map();
  const { rows } = await pool.query<FoundChannel & MetaNumber>({
    ...FIND_CHANNELS,
    values: [uniqueNumbers.map(({ carrier }) => carrier), uniqueNumbers.map(({ phoneNumberId }) => phoneNumberId)],
  });
  return new Map(
    rows.map(({ carrier, phoneNumberId, ...channel }) => [toNumberKey({ carrier, phoneNumberId }), channel] as const),
  );
}

export interface MetaAccount {
  carrier: string;
  businessAccountId: string;
}

export interface AccountChannel extends MetaAccount {
  id: string;
  phoneNumber: string;
  phoneNumberId: string | null;
}

const FIND_CHANNELS_OF_ACCOUNTS: Statement = {
  name: 'whatsapp-cloud-find-channels-of-accounts',
  text: `SELECT a.carrier, a.account AS "businessAccountId", c.id, c.phone_number AS "phoneNumber",
                c.carrier_settings ->> 'phoneNumberId' AS "phoneNumberId"
         FROM unnest($1::text[], $2::text[]) AS a(carrier, account)
         JOIN carriers k ON k.name = a.carrier
         JOIN channels c ON c.kind = 'whatsapp' AND c.carrier = a.carrier AND c.deleted_at IS NULL
           AND coalesce(c.carrier_settings ->> 'businessAccountId', k.settings ->> 'businessAccountId') = a.account
         ORDER BY c.id`,
};

/** Excludes deleted channels. */
export async function findChannelsOfAccounts(
  pool: pg.Pool,
  accounts: readonly MetaAccount[],
): Promise<AccountChannel[]> {
  const uniqueAccounts = [
    ...new Map(accounts.map((account) => [`${account.carrier} ${account.businessAccountId}`, account])).values(),
  ];
  if (uniqueAccounts.length === 0) return [];
  const values = [
    uniqueAccounts.map(({ carrier }) => carrier),
    uniqueAccounts.map(({ businessAccountId }) => businessAccountId),
  ];
  return (await pool.query<AccountChannel>({ ...FIND_CHANNELS_OF_ACCOUNTS, values })).rows;
}

export function toNumberKey({ carrier, phoneNumberId }: MetaNumber): string {
  return `${carrier} ${phoneNumberId}`;
}
