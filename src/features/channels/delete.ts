import type pg from 'pg';
import { AppError } from '../../platform/errors/app-error.js';
import { type Connection, withTransaction } from '../../platform/store/with-transaction.js';
import {
  type Dependents,
  deactivateDependents,
  deleteChannelRow,
  findDependents,
  lockChannel,
} from './delete-store.js';

export type Deletion = Dependents & {
  /** Reason why the channel cannot be deleted, or null if it can be deleted now. */
  refusal: string | null;
};

export async function planDeletion(pool: pg.Pool, channelId: string): Promise<Deletion> {
  const dependents = await findDependents(pool, channelId);
  return { ...dependents, refusal: explainRefusal(dependents) };
}

/**
 * The channel's data stays readable, and receipts for sent messages are still processed, but later inbound messages are
 * dropped. API keys that are bound to no other channel are revoked, and the channel's automations and webhooks are
 * deactivated.
 * @throws {AppError} CONFLICT naming the channel's unfinished work, or NOT_FOUND if the channel was deleted
 * concurrently
 */
export function deleteChannel(pool: Connection, channelId: string, now: Date): Promise<Deletion> {
  return withTransaction(pool, async (client) => {
    const dependents = await findDependents(client, channelId);
    const refusal = explainRefusal(dependents);
    if (refusal !== null) throw new AppError('CONFLICT', refusal);
    await deactivateDependents(client, channelId, now);
    if (!(await lockChannel(client, channelId))) throw new AppError('NOT_FOUND', `there is no channel ${channelId}`);
    await deleteChannelRow(client, channelId, now);
    return { ...dependents, refusal };
  });
}

function explainRefusal({ messages, campaigns, imports }: Dependents): string | null {
  const parts = [
    messages > 0 && `${formatCount(messages, 'message is', 'messages are')} not sent yet`,
    campaigns.length > 0 &&
      `${formatCount(campaigns.length, 'campaign is', 'campaigns are')} scheduled or running (${campaigns.slice(0, 3).join(', ')})`,
    imports > 0 && `${formatCount(imports, 'import of contacts is', 'imports of contacts are')} under way`,
  ].filter((part) => part !== false);
  if (parts.length === 0) return null;
  return `the channel is in use: ${parts.join('; ')}. Cancel them or wait until they have finished`;
}

function formatCount(count: number, singular: string, plural: string): string {
  return `${count} ${count === 1 ? singular : plural}`;
}
