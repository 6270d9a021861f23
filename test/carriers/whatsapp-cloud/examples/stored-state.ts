import type { CloudApi } from '../../../support/carriers/cloud-api/cloud-api.js';
import type { TestChannel } from '../../../support/channels.js';
import type { TestApp } from '../../../support/test-app.js';
import { createMetaChannel } from '../meta-channel.js';
import { OWN_NUMBER } from './webhook-examples.js';

export async function createExamplesChannel(heliograph: TestApp, api: CloudApi): Promise<TestChannel> {
  const channel = await createMetaChannel(heliograph, api);
  await heliograph.deps.prisma.channel.update({ where: { id: channel.channelId }, data: { phoneNumber: OWN_NUMBER } });
  return channel;
}

/** Reads the stored rows without Heliograph's IDs and processing times, which differ between runs. */
export async function readStoredState(
  { deps: { prisma, pool } }: TestApp,
  { channelId }: Pick<TestChannel, 'channelId'>,
) {
  const where = { channelId };
  const inbound = await prisma.inboundMessage.findMany({
    where,
    orderBy: { carrierMessageId: 'asc' },
    include: { conversation: { include: { contact: true } } },
  });
  const contacts = await prisma.contact.findMany({
    where,
    orderBy: { search: 'asc' },
    include: { conversation: true },
  });
  const keptReports = await prisma.keptReport.findMany({ orderBy: { digest: 'asc' } });
  const { rows: early } = await pool.query<{ status: string }>(
    'SELECT DISTINCT carrier_message_id, status FROM early_receipts ORDER BY 1, 2',
  );
  const { standing } = await prisma.channel.findUniqueOrThrow({ where: { id: channelId } });
  return {
    inbound: inbound.map(({ carrierMessageId, type, body, payload, receivedAt, revokedAt, conversation }) => {
      const { mediaId, ...content } = payload as Record<string, unknown>;
      const contact = conversation?.contact;
      return {
        ...{ carrierMessageId, type, body, content, hasFile: mediaId !== undefined, receivedAt, revokedAt },
        contact: [contact?.phone, contact?.userId],
      };
    }),
    contacts: contacts.map(({ phone, userId, username, name, conversation }) => ({
      ...{ phone, userId, username, name },
      unread: conversation?.unreadCount,
      lastInboundAt: conversation?.lastInboundAt,
    })),
    own: await prisma.message.findMany({
      where,
      select: { carrierMessageId: true, body: true, status: true, recipient: true, sentAt: true },
    }),
    // Removed files remain in the table until their bytes are deleted.
    files: await prisma.media.findMany({
      where: { ...where, status: { not: 'removed' } },
      select: { carrierMediaId: true, status: true, mimeType: true },
    }),
    optOuts: await prisma.optOut.findMany({
      orderBy: { phone: 'asc' },
      select: { phone: true, keyword: true, isActive: true, decidedAt: true },
    }),
    kept: keptReports.map(({ kind, reason, ids, digest }) => ({
      kind,
      reason,
      ids,
      digest: Buffer.from(digest).toString('hex'),
    })),
    early,
    standing,
  };
}
