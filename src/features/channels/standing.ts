import { type Notice, type Restriction, readStanding, restrictionsAt } from '../../carriers/standing.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';

/** What a channel's carrier says of its number and the account at the carrier, as it is shown. */
export interface ShownStanding {
  messagingLimit: string | null;
  qualityRating: string | null;
  restrictions: Restriction[];
  notices: Notice[];
}

/** @param json as the channel's row holds it */
export function shownStanding(json: unknown, now: Date): ShownStanding {
  const standing = readStanding(json);
  return {
    messagingLimit: standing.messagingLimit?.value ?? null,
    qualityRating: standing.quality?.value ?? null,
    restrictions: restrictionsAt(standing, now),
    notices: standing.notices,
  };
}

/** Of a channel whose row is not at hand. */
export async function findStanding(
  prisma: Pick<PrismaClient, 'channel'>,
  { id, accountId }: { id: string; accountId: string },
  now: Date,
): Promise<ShownStanding> {
  const row = await prisma.channel.findFirst({ where: { id, accountId }, select: { standing: true } });
  return shownStanding(row?.standing ?? null, now);
}
