import { createChannelKey } from '../../../dist/accounts/keys.js';
import { createChannel } from '../../../dist/features/channels/channels.js';
import { newId } from '../../../dist/platform/ids.js';

/**
 * Creates a channel, a key, a template named `promotion`, and a group whose members have consecutive phone numbers after
 * `firstNumber`. The returned headers authenticate requests with the key.
 * @param {{ pool: import('pg').Pool, prisma: import('../../../dist/platform/generated/prisma/client.js').PrismaClient }} store
 * @param {{ accountId: string, name: string, phoneNumber: string, language: string, text: string, members: number,
 *   firstNumber: number }} data
 * @returns {Promise<{ groupId: string, headers: Record<string, string> }>}
 */
export async function createCampaignData(
  { pool, prisma },
  { accountId, name, phoneNumber, language, text, members, firstNumber },
) {
  const sender = { kind: 'whatsapp', phoneNumber, carrier: 'simulator' };
  const channel = await createChannel(prisma, { accountId, name, ...sender, isDefault: true });
  const key = await createChannelKey(prisma, { accountId, name, scopes: ['full'], channelIds: [channel.id] });
  await pool.query(
    `INSERT INTO templates (id, account_id, channel_id, name, language, category, status, components)
     VALUES ($1, $2, $3, 'promotion', $4, 'MARKETING', 'APPROVED', $5)`,
    [newId(), accountId, channel.id, language, JSON.stringify([{ type: 'BODY', text }])],
  );
  const groupId = newId();
  await pool.query(
    `INSERT INTO contact_groups (id, account_id, channel_id, name, contact_count) VALUES ($1, $2, $3, 'Everybody', $4)`,
    [groupId, accountId, channel.id, members],
  );
  await pool.query(
    `INSERT INTO contacts (id, account_id, channel_id, phone)
     SELECT new_id(), $1, $2, ($4::bigint + no)::text FROM generate_series(1, $3) AS no`,
    [accountId, channel.id, members, firstNumber],
  );
  await pool.query('INSERT INTO group_members (group_id, contact_id) SELECT $1, id FROM contacts', [groupId]);
  return {
    groupId,
    headers: {
      'content-type': 'application/json',
      'x-api-key': key.key,
      'x-api-secret': key.secret,
      'x-channel-id': channel.id,
    },
  };
}
