import { buildIsNumberSql } from '../../carriers/numbers/user-ids.js';
import type { Statement } from '../../platform/store/connections/pool.js';
import type { Connection } from '../../platform/store/with-transaction.js';

const FIND_FURTHER_NUMBERS: Statement = {
  name: 'numbers-every',
  text: `WITH held AS (
           SELECT id FROM contacts WHERE channel_id = $1 AND phone = ANY($2::text[])
           UNION SELECT contact_id FROM contact_identities
                 WHERE channel_id = $1 AND portfolio = '' AND user_id = ANY($2::text[]) AND ${buildIsNumberSql('user_id')}
         )
         SELECT unnest($2::text[]) AS address
         UNION SELECT c.phone FROM held JOIN contacts c ON c.id = held.id WHERE c.phone IS NOT NULL
         UNION SELECT i.user_id FROM held JOIN contact_identities i ON i.contact_id = held.id WHERE ${buildIsNumberSql('i.user_id')}`,
};

export async function addFurtherNumbers(
  connection: Connection,
  channelId: string,
  addresses: readonly string[],
): Promise<string[]> {
  const { rows } = await connection.query<{ address: string }>({
    ...FIND_FURTHER_NUMBERS,
    values: [channelId, addresses],
  });
  return rows.map(({ address }) => address);
}
