import { buildCarrierMessageId, Simulator } from '../../carriers/simulator/simulator.js';
import { renderTemplate } from '../../messages/compose/template/render.js';
import { insertDemoMessages } from '../../messages/stored-messages/demo-messages.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import { newId } from '../../platform/ids.js';
import type { SeededGroup } from './contacts.js';
import { DEMO_TEMPLATES } from './templates.js';

type CampaignTables = Pick<PrismaClient, 'campaign' | 'contact' | 'conversation' | 'message'>;

const TEMPLATE = { name: 'hello_world', language: 'en_US' } as const;
const VALIDITY_MS = 48 * 60 * 60 * 1000;

export async function seedCampaign(
  transaction: CampaignTables,
  scope: { accountId: string; channelId: string },
  { phoneNumber, group, completedAt }: { phoneNumber: string; group: SeededGroup; completedAt: Date },
): Promise<void> {
  const id = newId();
  const contacts = await transaction.contact.findMany({
    where: { id: { in: [...group.contactIds] } },
    orderBy: { id: 'asc' },
  });
  await transaction.campaign.create({
    data: {
      id,
      ...scope,
      name: 'Hello to everybody',
      status: 'completed',
      templateName: TEMPLATE.name,
      language: TEMPLATE.language,
      components: [],
      groupId: group.id,
      startedAt: completedAt,
      membersAt: completedAt,
      completedAt,
      createdAt: completedAt,
      messageCount: contacts.length,
      cursor: contacts.at(-1)?.id,
      nextLook: null,
    },
  });
  const conversations = contacts.map((contact) => ({ id: newId(), contactId: contact.id }));
  await transaction.conversation.createMany({
    data: conversations.map((conversation) => ({
      ...conversation,
      ...scope,
      lastMessageAt: completedAt,
      createdAt: completedAt,
    })),
  });
  const template = DEMO_TEMPLATES.find(
    ({ name, language }) => name === TEMPLATE.name && language === TEMPLATE.language,
  );
  const { body } = renderTemplate(template?.components, []);
  await insertDemoMessages(
    transaction,
    contacts.map((contact, index) => {
      const messageId = newId();
      return {
        id: messageId,
        ...scope,
        contactId: contact.id,
        conversationId: conversations[index]?.id,
        campaignId: id,
        createdAt: completedAt,
        sendingAt: completedAt,
        sentAt: completedAt,
        deliveredAt: completedAt,
        validUntil: new Date(completedAt.getTime() + VALIDITY_MS),
        priceMicros: 0n,
        surface: 'b',
        kind: 'whatsapp',
        status: 'delivered',
        priority: 0,
        parts: 1,
        attempts: 1,
        carrier: Simulator.carrierName,
        sender: phoneNumber,
        recipient: contact.phone ?? '',
        body,
        content: { type: 'template', ...TEMPLATE, components: [] },
        carrierMessageId: buildCarrierMessageId({ id: messageId, kind: 'whatsapp' }),
      };
    }),
  );
}
