import type { Deps } from '../../src/process/startup/deps.js';
import { createCampaignChannel, createGroup } from './channel-contents.js';
import type { TestChannel } from './channels.js';
import type { TestApp } from './test-app.js';
import { waitFor } from './wait-for.js';

export interface CampaignResponse {
  id: string;
  name: string;
  status: string;
  messageCount: number;
  skippedCount: number;
  refusedCount: number;
  cappedCount: number;
  counts: Record<string, number>;
  errorMessage: string | null;
  scheduledAt: string | null;
  startedAt: string | null;
  completedAt: string | null;
  createdAt: string;
}

export async function readCampaign(
  { app }: Pick<TestApp, 'app'>,
  { headers }: Pick<TestChannel, 'headers'>,
  id: string,
): Promise<CampaignResponse> {
  const response = await app.inject({ url: `/api/v1/campaigns/${id}`, headers });
  if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${response.body}`);
  return response.json().data;
}

/** @throws Error unless the campaign is accepted */
export async function createCampaign(
  { app }: Pick<TestApp, 'app'>,
  { headers }: Pick<TestChannel, 'headers'>,
  body: {
    groupId?: string;
    groupIds?: string[];
    audienceIds?: string[];
    recipients?: string[];
    templateName?: string;
    text?: string;
    optOutLine?: string | null;
    scheduledAt?: string;
    name?: string;
    components?: unknown[];
    shortenLinks?: boolean;
    variables?: object;
    memberVariables?: object[];
    variants?: object[];
    test?: object;
  },
): Promise<CampaignResponse> {
  const response = await app.inject({
    method: 'POST',
    url: '/api/v1/campaigns',
    headers,
    payload: { name: 'Test', ...(body.text === undefined && { templateName: 'hello', language: 'en_US' }), ...body },
  });
  if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${response.body}`);
  return response.json().data;
}

export async function startCampaign(
  test: Pick<TestApp, 'app' | 'deps'>,
  size: number,
  kind: 'sms' | 'whatsapp' = 'whatsapp',
): Promise<{ id: string; channel: TestChannel; contactIds: string[] }> {
  const channel = await createCampaignChannel(test.deps, { kind });
  const group = await createGroup(test.deps, channel, { size });
  const message = kind === 'sms' ? { text: 'Spring sale', optOutLine: 'Reply STOP to opt out.' } : {};
  const { id } = await createCampaign(test, channel, { groupId: group.id, ...message });
  return { id, channel, contactIds: group.contactIds };
}

export function waitForCampaign(
  test: Pick<TestApp, 'app'>,
  channel: Pick<TestChannel, 'headers'>,
  id: string,
  status: string,
): Promise<CampaignResponse> {
  return waitFor(
    `the campaign to be ${status}`,
    async () => {
      const campaign = await readCampaign(test, channel, id);
      return campaign.status === status && campaign;
    },
    { intervalMs: 50 },
  );
}

/** Counts a campaign's messages by contact ID. */
export async function countMessagesPerContact(
  { pool }: Pick<Deps, 'pool'>,
  campaignId: string,
): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ contact_id: string; count: number }>(
    'SELECT contact_id, count(*)::int AS count FROM messages WHERE campaign_id = $1 GROUP BY contact_id',
    [campaignId],
  );
  return new Map(rows.map((row) => [row.contact_id, row.count]));
}
