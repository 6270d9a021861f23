import type { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors/app-error.js';
import type { Prisma } from '../../platform/generated/prisma/client.js';
import type { Connection } from '../../platform/store/within.js';
import { requireCampaign, stateOf } from './campaigns.js';
import type { CampaignRef } from './cancel-store.js';
import { setPaused, setResumed } from './pause-store.js';

interface PauseOptions {
  pool: Connection;
  prisma: Prisma.TransactionClient;
  clock: Clock;
}

/**
 * Has a campaign make no more messages until it is resumed; one that is scheduled does not begin. Messages that are
 * committed already go out.
 * @throws {AppError} CONFLICT when it is paused already or has ended; NOT_FOUND when the channel has no such campaign
 */
export async function pauseCampaign({ pool, prisma, clock }: PauseOptions, campaign: CampaignRef): Promise<void> {
  if (await setPaused(pool, campaign, clock.now())) return;
  throw new AppError('CONFLICT', `The campaign is ${await stateNow(prisma, campaign)} already.`);
}

/**
 * Has a paused campaign go on where it stopped; one whose time has come meanwhile begins at once.
 * @throws {AppError} CONFLICT when it is not paused; NOT_FOUND when the channel has no such campaign
 */
export async function resumeCampaign({ pool, prisma }: PauseOptions, campaign: CampaignRef): Promise<void> {
  if (await setResumed(pool, campaign)) return;
  throw new AppError('CONFLICT', `The campaign is not paused but ${await stateNow(prisma, campaign)}.`);
}

async function stateNow(prisma: Prisma.TransactionClient, { id, ...scope }: CampaignRef) {
  return stateOf(await requireCampaign(prisma, scope, id));
}
