import type { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors/app-error.js';
import type { Prisma } from '../../platform/generated/prisma/client.js';
import type { Connection } from '../../platform/store/with-transaction.js';
import { getCampaignState, requireCampaign } from './campaigns.js';
import type { CampaignRef } from './cancel-store.js';
import { markPaused, markResumed } from './pause-store.js';

interface PauseOptions {
  pool: Connection;
  prisma: Prisma.TransactionClient;
  clock: Clock;
}

/** @throws {AppError} NOT_FOUND for an unknown campaign, or CONFLICT if the campaign is already paused or has ended */
export async function pauseCampaign({ pool, prisma, clock }: PauseOptions, campaign: CampaignRef): Promise<void> {
  if (await markPaused(pool, campaign, clock.now())) return;
  throw new AppError('CONFLICT', `The campaign is ${await findState(prisma, campaign)} already.`);
}

/** @throws {AppError} NOT_FOUND for an unknown campaign, or CONFLICT if the campaign is not paused */
export async function resumeCampaign({ pool, prisma }: PauseOptions, campaign: CampaignRef): Promise<void> {
  if (await markResumed(pool, campaign)) return;
  throw new AppError('CONFLICT', `The campaign is not paused but ${await findState(prisma, campaign)}.`);
}

async function findState(prisma: Prisma.TransactionClient, { id, ...scope }: CampaignRef) {
  return getCampaignState(await requireCampaign(prisma, scope, id));
}
