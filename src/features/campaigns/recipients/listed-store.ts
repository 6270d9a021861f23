import type pg from 'pg';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';
import type { Connection } from '../../../platform/store/with-transaction.js';
import { CONTACT_FIELD_NAMES } from '../../contacts/contact-fields.js';
import type { ImportRow } from '../../contacts/import/check-row.js';
import type { ContactsTarget } from '../../contacts/import/import-people.js';
import { importRows } from '../../contacts/import/import-store.js';

const SLICE = 1_000;
const NO_FIELDS = Object.fromEntries(CONTACT_FIELD_NAMES.map((name) => [name, ''])) as Pick<
  ImportRow,
  (typeof CONTACT_FIELD_NAMES)[number]
>;

const INSERT: PlannedStatement = {
  text: `INSERT INTO campaign_recipients (campaign_id, contact_id, from_group)
         SELECT $1, id, false FROM (
           SELECT id FROM contacts WHERE channel_id = $2 AND phone = ANY($3::text[]) ORDER BY id FOR KEY SHARE) AS c
         ON CONFLICT DO NOTHING`,
};

/** Stores the recipients of a campaign's list. Numbers that are not contacts become contacts of the channel. */
export async function insertListed(
  client: pg.PoolClient,
  campaignId: string,
  scope: Pick<ContactsTarget, 'accountId' | 'channelId' | 'kind'>,
  { phones, now }: { phones: readonly string[]; now: Date },
): Promise<void> {
  const target = { ...scope, groupId: null, update: false };
  // In the order of an import, so that the two never wait for each other.
  const sorted = [...phones].sort();
  for (let start = 0; start < sorted.length; start += SLICE) {
    const slice = sorted.slice(start, start + SLICE);
    const rows = slice.map((phone) => ({ ...NO_FIELDS, row: 0, cells: [], phone, written: phone, userId: null }));
    await importRows(client, target, rows, now);
    await client.query({ ...INSERT, values: [campaignId, scope.channelId, slice] });
  }
}

/** Before the start of a campaign, only its list is stored. */
const READ: PlannedStatement = {
  text: `SELECT c.phone FROM campaign_recipients r JOIN contacts c ON c.id = r.contact_id
         WHERE r.campaign_id = $1 AND c.phone IS NOT NULL ORDER BY c.phone`,
};

/** Returns the numbers on the list of a campaign that has not started. */
export async function readListedPhones(connection: Connection, campaignId: string): Promise<string[]> {
  const { rows } = await connection.query<{ phone: string }>({ ...READ, values: [campaignId] });
  return rows.map(({ phone }) => phone);
}

const DELETE: PlannedStatement = { text: 'DELETE FROM campaign_recipients WHERE campaign_id = $1' };

/** Call this function only for a campaign that has not started. */
export async function deleteListed(client: pg.PoolClient, campaignId: string): Promise<void> {
  await client.query({ ...DELETE, values: [campaignId] });
}
