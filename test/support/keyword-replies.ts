import {
  type AccountRepliesChange,
  type ChannelRepliesChange,
  changeAccountReplies,
  changeChannelReplies,
} from '../../src/features/keyword-replies/change-settings.js';
import type { TestChannel } from './channels.js';
import type { TestApp } from './test-app.js';

type Deps = { deps: Pick<TestApp['deps'], 'prisma' | 'pool'> };

/** Turns replies to STOP, START and HELP on for the account of the channel. */
export async function turnRepliesOn(
  { deps }: Deps,
  { account }: Pick<TestChannel, 'account'>,
  change: AccountRepliesChange = {},
) {
  const settings = { isOn: true, name: 'Acme', contact: 'help@acme.example', ...change };
  await changeAccountReplies(deps.prisma, account.id, settings);
}

export async function setChannelReplies(
  { deps }: Deps,
  { account, channelId }: TestChannel,
  change: ChannelRepliesChange,
) {
  await changeChannelReplies(deps.prisma, { id: channelId, accountId: account.id }, change);
}

/** All messages to the number, oldest first. */
export async function listReplies({ deps }: Deps, { account }: Pick<TestChannel, 'account'>, recipient?: string) {
  return deps.prisma.message.findMany({
    where: { accountId: account.id, ...(recipient !== undefined && { recipient }) },
    orderBy: { id: 'asc' },
  });
}

/** The recorded result of each inbound message with a keyword, oldest first. */
export async function listResults({ deps }: Deps, { channelId }: Pick<TestChannel, 'channelId'>) {
  const rows = await deps.prisma.inboundMessage.findMany({
    where: { channelId },
    orderBy: { id: 'asc' },
    select: { keywordReply: true },
  });
  return rows.map(({ keywordReply }) => keywordReply as { code: string | null; messageId: string | null } | null);
}
