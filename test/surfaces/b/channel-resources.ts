import { randomInt } from 'node:crypto';
import { Readable } from 'node:stream';
import { uploadMedia } from '../../../src/features/media/upload.js';
import { newId } from '../../../src/platform/ids.js';
import type { Deps } from '../../../src/process/startup/deps.js';
import type { TestChannel } from '../../support/channels.js';
import { buildFile } from '../../support/media/files.js';

export interface ChannelResources {
  contactId: string;
  /** Phone number of the contact, who has just sent a message. */
  phone: string;
  conversationId: string;
  messageId: string;
  groupId: string;
  audienceId: string;
  templateId: string;
  campaignId: string;
  pausedCampaignId: string;
  automationId: string;
  runId: string;
  webhookId: string;
  deliveryId: string;
  importId: string;
  mediaId: string;
  /** The field and the tag belong to the account. */
  fieldKey: string;
  tag: string;
}

export const freshDigits = () => `49152${randomInt(10_000_000, 100_000_000)}`;

/** Creates a unique name that is also valid for a template. */
export const freshName = () => `n${newId().replaceAll('-', '_')}`;

/** Creates one resource of each kind, except that the template "hello" is created only once. */
export async function createChannelResources(
  { prisma, clock, pool, media }: Pick<Deps, 'prisma' | 'clock' | 'pool' | 'media'>,
  { account, channelId }: TestChannel,
): Promise<ChannelResources> {
  const owner = { accountId: account.id, channelId };
  const now = clock.now();
  const contact = { id: newId(), phone: freshDigits() };
  const conversationId = newId();
  const groupId = newId();
  const templateId = newId();
  await prisma.contact.create({
    data: {
      ...contact,
      ...owner,
      name: freshName(),
      conversation: { create: { id: conversationId, ...owner, lastInboundAt: now, lastMessageAt: now } },
    },
  });
  await prisma.channel.update({ where: { id: channelId }, data: { contactCount: { increment: 1 } } });
  await prisma.contactGroup.create({
    data: { id: groupId, ...owner, name: freshName(), contactCount: 1, members: { create: { contactId: contact.id } } },
  });
  const condition = { field: 'tags', operator: 'has', value: 'vip' };
  const audience = await prisma.audience.create({
    data: { id: newId(), ...owner, name: freshName(), condition, createdAt: now, updatedAt: now },
  });
  const template = { ...owner, language: 'en_US', category: 'UTILITY', components: [{ type: 'BODY', text: 'Hello' }] };
  await prisma.template.createMany({
    data: [
      { id: newId(), ...template, name: 'hello', status: 'APPROVED' },
      { id: templateId, ...template, name: freshName(), status: 'APPROVED' },
    ],
    skipDuplicates: true,
  });
  const messageId = await createMessage({ prisma }, owner, contact, conversationId, now);
  const campaign = {
    ...owner,
    name: freshName(),
    status: 'scheduled',
    templateName: 'hello',
    language: 'en_US',
    components: [],
    groupId,
    scheduledAt: new Date(now.getTime() + 24 * 60 * 60 * 1000),
  } as const;
  const [campaignId, pausedCampaignId] = [newId(), newId()];
  await prisma.campaign.createMany({
    data: [
      { id: campaignId, ...campaign },
      { id: pausedCampaignId, ...campaign, pausedAt: now, nextLook: null },
    ],
  });
  const steps = [{ type: 'wait', seconds: 3600 }];
  const run = { id: newId(), ...owner, contactId: contact.id, status: 'waiting', steps, variables: {} } as const;
  const automation = await prisma.automation.create({
    data: { id: newId(), ...owner, name: freshName(), steps, runs: { create: { ...run, startedAt: now } } },
  });
  const webhook = await prisma.webhook.create({
    data: {
      id: newId(),
      ...owner,
      url: 'https://hooks.example.com/',
      events: ['contact.updated'],
      secret: `whsec_${Buffer.alloc(24, freshName()).toString('base64')}`,
    },
  });
  const failedDelivery = {
    type: 'contact.updated',
    data: {},
    status: 'failed',
    occurredAt: now,
    nextAttemptAt: null,
  } as const;
  const delivery = await prisma.webhookDelivery.create({
    data: { id: newId(), webhookId: webhook.id, ...failedDelivery },
  });
  const importJob = await prisma.contactImportJob.create({
    data: { id: newId(), ...owner, status: 'completed', input: '', nextLook: null, createdAt: now, completedAt: now },
  });
  const { accountId } = owner;
  const field = await prisma.contactField.create({
    data: { id: newId(), accountId, key: freshName(), label: 'Plan', type: 'text' },
  });
  const tag = await prisma.contactTag.create({ data: { accountId, name: freshName() } });
  const bytes = Readable.from([buildFile('image/png')]);
  const file = { bytes, mimeType: null, filename: freshName() };
  const uploadedFile = await uploadMedia({ pool, clock, ...media }, owner, file);
  return {
    contactId: contact.id,
    phone: contact.phone,
    conversationId,
    messageId,
    groupId,
    audienceId: audience.id,
    templateId,
    campaignId,
    pausedCampaignId,
    automationId: automation.id,
    runId: run.id,
    webhookId: webhook.id,
    deliveryId: delivery.id,
    importId: importJob.id,
    mediaId: uploadedFile.media.id,
    fieldKey: field.key,
    tag: tag.name,
  };
}

async function createMessage(
  { prisma }: Pick<Deps, 'prisma'>,
  owner: { accountId: string; channelId: string },
  contact: { id: string; phone: string },
  conversationId: string,
  createdAt: Date,
): Promise<string> {
  const { id } = await prisma.message.create({
    data: {
      id: newId(),
      ...owner,
      contactId: contact.id,
      conversationId,
      createdAt,
      validUntil: createdAt,
      deliveredAt: createdAt,
      priceMicros: 0n,
      surface: 'b',
      kind: 'whatsapp',
      status: 'delivered',
      priority: 2,
      parts: 1,
      carrier: 'simulator',
      sender: '15005550100',
      recipient: contact.phone,
      body: freshName(),
    },
  });
  return id;
}

const TABLES = ['contacts', 'contact_groups', 'conversations', 'inbound_messages', 'media', 'messages', 'templates'];
const WORKER_TABLES = ['campaigns', 'automations', 'automation_runs', 'webhooks'];

export async function readChannelRows({ pool }: Pick<Deps, 'pool'>, { channelId }: TestChannel): Promise<string> {
  const selects = [
    ...[...TABLES, ...WORKER_TABLES].map((table) => [table, `SELECT * FROM ${table} WHERE channel_id = $1`]),
    ['members', 'SELECT m.* FROM group_members m JOIN contact_groups g ON g.id = m.group_id WHERE g.channel_id = $1'],
    [
      'deliveries',
      'SELECT d.* FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id WHERE w.channel_id = $1',
    ],
    ['channel', 'SELECT * FROM channels WHERE id = $1'],
  ];
  const { rows } = await pool.query(
    selects
      .map(([name, select]) => `SELECT '${name}' AS name, t::text AS line FROM (${select}) AS t`)
      .join(' UNION ALL ')
      .concat(' ORDER BY name, line'),
    [channelId],
  );
  return rows.map(({ name, line }) => `${name} ${line}`).join('\n');
}
