import type pg from 'pg';
import { AppError } from '../../../platform/errors/app-error.js';
import type { FaultPoints } from '../../../platform/faults.js';
import { withTransaction } from '../../../platform/store/with-transaction.js';
import { buildMembersSql } from '../../audiences/contact-filter.js';
import { advanceGathering, countGroups, type GatheredCampaign, GROUPS_SQL, storeNext } from './gather-store.js';

/** Values of the statement of `storeNext` before those of the audiences. */
const STEP_VALUES = 4;

/**
 * Takes one step of storing the recipients of a campaign that has started. Each step commits with the position at which the
 * next one continues.
 * @param startedAt business time at which audiences are evaluated
 * @throws {AppError} NOT_FOUND if a group or an audience was deleted
 */
export async function gatherNext(
  { pool, faults }: { pool: pg.Pool; faults: FaultPoints },
  scope: { accountId: string; channelId: string },
  campaign: GatheredCampaign,
  startedAt: Date,
): Promise<void> {
  await withTransaction(pool, async (client) => {
    const isGroups = campaign.gathering === 'groups';
    const last = isGroups
      ? await storeGroups(client, campaign)
      : await storeAudiences(client, scope, campaign, startedAt);
    const next =
      last !== null
        ? { gathering: campaign.gathering, gatheredTo: last }
        : { gathering: isGroups ? ('audiences' as const) : null, gatheredTo: null };
    if (!(await advanceGathering(client, campaign, next))) throw new StepOvertaken();
    await faults.hit('campaign:gathering');
  }).catch((error: unknown) => {
    if (!(error instanceof StepOvertaken)) throw error;
  });
  await faults.hit('campaign:gathered');
}

async function storeGroups(client: pg.PoolClient, campaign: GatheredCampaign): Promise<string | null> {
  if (campaign.groupIds.length === 0) return null;
  if ((await countGroups(client, campaign.groupIds)) < campaign.groupIds.length) {
    throw new AppError('NOT_FOUND', 'A group of the campaign was deleted.');
  }
  return storeNext(client, campaign, GROUPS_SQL, []);
}

async function storeAudiences(
  client: pg.PoolClient,
  scope: { accountId: string; channelId: string },
  campaign: GatheredCampaign,
  now: Date,
): Promise<string | null> {
  const { audienceIds } = campaign;
  if (audienceIds.length === 0) return null;
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value) + STEP_VALUES}`;
  const membersSql = await buildMembersSql(client, scope, { audienceIds, now }, bind).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'NOT_FOUND') throw error;
    throw new AppError('NOT_FOUND', 'An audience of the campaign was deleted.', [], { cause: error });
  });
  return storeNext(client, campaign, membersSql, values);
}

/** Thrown when another runner has taken the step, or the campaign was canceled or paused. */
class StepOvertaken extends Error {}
