import { newId } from '../../src/platform/ids.js';
import type { Deps } from '../../src/process/deps.js';
import { createTestChannel, type TestChannel, type TestChannelOptions } from './channels.js';
import type { TestApp } from './test-app.js';
import { waitFor } from './wait-for.js';

/** A campaign as the interface shows it. */
export interface CampaignAnswer {
  id: string;
  name: string;
  status: string;
  messageCount: number;
  counts: Record<string, number>;
  errorMessage: string | null;
  scheduledAt: string | null;
  startedAt: string | null;
  completedAt: string | null;
  createdAt: string;
}

/** Makes an approved template of a channel: without parameters unless the body has placeholders. */
export async function createTemplate(
  { prisma }: Pick<Deps, 'prisma'>,
  channel: TestChannel,
  {
    name = 'hello',
    body = 'Hello',
    status = 'APPROVED',
  }: { name?: string; body?: string; status?: 'APPROVED' | 'PAUSED' } = {},
): Promise<string> {
  await prisma.template.create({
    data: {
      id: newId(),
      accountId: channel.account.id,
      channelId: channel.channelId,
      name,
      language: 'en_US',
      category: 'MARKETING',
      status,
      components: [{ type: 'BODY', text: body }],
    },
  });
  return name;
}

/** A channel with the template `hello`, which the campaigns of `createCampaign` send. */
export async function createCampaignChannel(
  deps: Pick<Deps, 'prisma'>,
  options?: TestChannelOptions,
): Promise<TestChannel> {
  const channel = await createTestChannel(deps, undefined, options);
  await createTemplate(deps, channel);
  return channel;
}

/** A group with so many members, made in bulk; their numbers are the simulator's ordinary ones. */
export async function createGroup(
  { pool }: Pick<Deps, 'pool'>,
  { account, channelId }: TestChannel,
  { size = 3, name = `Group ${newId()}` }: { size?: number; name?: string } = {},
): Promise<{ id: string; contactIds: string[] }> {
  const id = newId();
  const contactIds = Array.from({ length: size }, newId);
  await pool.query(
    'INSERT INTO contact_groups (id, account_id, channel_id, name, contact_count) VALUES ($1, $2, $3, $4, $5)',
    [id, account.id, channelId, name, size],
  );
  // Numbers differ between groups: the last digits of an id are random.
  await pool.query(
    `INSERT INTO contacts (id, account_id, channel_id, phone)
     SELECT id, $2, $3, '4915' || (1000000 + no)::text || $4 FROM unnest($1::uuid[]) WITH ORDINALITY AS made(id, no)`,
    [contactIds, account.id, channelId, String(Number.parseInt(id.slice(-6), 16) % 1000).padStart(3, '0')],
  );
  await pool.query('INSERT INTO group_members (group_id, contact_id) SELECT $1, unnest($2::uuid[])', [id, contactIds]);
  return { id, contactIds };
}

/** A campaign as its channel sees it. */
export async function campaignOf(
  { app }: Pick<TestApp, 'app'>,
  { headers }: Pick<TestChannel, 'headers'>,
  id: string,
): Promise<CampaignAnswer> {
  const response = await app.inject({ url: `/api/v1/campaigns/${id}`, headers });
  if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${response.body}`);
  return response.json().data;
}

/** Creates a campaign through the HTTP interface. @throws Error unless it is accepted */
export async function createCampaign(
  { app }: Pick<TestApp, 'app'>,
  { headers }: Pick<TestChannel, 'headers'>,
  body: { groupId: string; templateName?: string; scheduledAt?: string; name?: string; components?: unknown[] },
): Promise<CampaignAnswer> {
  const response = await app.inject({
    method: 'POST',
    url: '/api/v1/campaigns',
    headers,
    payload: { name: 'Test', templateName: 'hello', language: 'en_US', ...body },
  });
  if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${response.body}`);
  return response.json().data;
}

/** Waits until a campaign has a status, and returns it. */
export function campaignReaches(
  test: Pick<TestApp, 'app'>,
  channel: Pick<TestChannel, 'headers'>,
  id: string,
  status: string,
  { timeoutMs = 20_000 }: { timeoutMs?: number } = {},
): Promise<CampaignAnswer> {
  return waitFor(
    `the campaign to be ${status}`,
    async () => {
      const campaign = await campaignOf(test, channel, id);
      return campaign.status === status && campaign;
    },
    { timeoutMs, intervalMs: 50 },
  );
}

/** How many messages each contact has from a campaign: contact ids by number of messages. */
export async function messagesPerContact(
  { pool }: Pick<Deps, 'pool'>,
  campaignId: string,
): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ contact_id: string; count: number }>(
    'SELECT contact_id, count(*)::int AS count FROM messages WHERE campaign_id = $1 GROUP BY contact_id',
    [campaignId],
  );
  return new Map(rows.map((row) => [row.contact_id, row.count]));
}
