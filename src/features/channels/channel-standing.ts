import {
  findActiveRestrictions,
  type Notice,
  parseChannelStatus,
  type Restriction,
} from '../../carriers/channel-status.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';

/** What the carrier reports about a channel, for display. */
export interface StandingView {
  messagingLimit: string | null;
  qualityRating: string | null;
  restrictions: Restriction[];
  notices: Notice[];
}

export function toStandingView(json: unknown, now: Date): StandingView {
  const standing = parseChannelStatus(json);
  return {
    messagingLimit: standing.messagingLimit?.value ?? null,
    qualityRating: standing.quality?.value ?? null,
    restrictions: findActiveRestrictions(standing, now),
    notices: standing.notices,
  };
}

/** Reads the channel status for callers that have not read the channel's row. */
export async function findStanding(
  prisma: Pick<PrismaClient, 'channel'>,
  { id, accountId }: { id: string; accountId: string },
  now: Date,
): Promise<StandingView> {
  const row = await prisma.channel.findFirst({ where: { id, accountId }, select: { standing: true } });
  return toStandingView(row?.standing ?? null, now);
}
