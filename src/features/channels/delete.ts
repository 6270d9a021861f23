import type pg from 'pg';
import { AppError } from '../../platform/errors/app-error.js';
import { type Connection, within } from '../../platform/store/within.js';
import { type Dependents, deleteChannelRow, findDependents, lockChannel, withdrawAll } from './delete-store.js';

/** What a channel that is to be deleted takes along, and what keeps it from that. */
export type Deletion = Dependents & {
  /** Why it cannot be deleted now; null: it can. */
  refusal: string | null;
};

/** What the deletion of a channel would come to. */
export async function planDeletion(pool: pg.Pool, channelId: string): Promise<Deletion> {
  const found = await findDependents(pool, channelId);
  return { ...found, refusal: refusalOf(found) };
}

/**
 * Deletes a channel. Its row stays, and with it messages, conversations, contacts and campaigns, for reading; nothing lists
 * it any more, keys are good for it no more, and those that are bound to no other channel are revoked. Its automations
 * and webhooks are switched off and runs under way end. Messages that come for its number are dropped, receipts of what it sent still
 * count. Its number is free for a new channel.
 * @throws {AppError} CONFLICT that names what is under way; NOT_FOUND when it was deleted meanwhile
 */
export function deleteChannel(pool: Connection, channelId: string, now: Date): Promise<Deletion> {
  return within(pool, async (client) => {
    const found = await findDependents(client, channelId);
    const refusal = refusalOf(found);
    if (refusal !== null) throw new AppError('CONFLICT', refusal);
    await withdrawAll(client, channelId, now);
    if (!(await lockChannel(client, channelId))) throw new AppError('NOT_FOUND', `there is no channel ${channelId}`);
    await deleteChannelRow(client, channelId, now);
    return { ...found, refusal };
  });
}

function refusalOf({ messages, campaigns, imports }: Dependents): string | null {
  const parts = [
    messages > 0 && `${many(messages, 'message is', 'messages are')} not sent yet`,
    campaigns.length > 0 &&
      `${many(campaigns.length, 'campaign is', 'campaigns are')} scheduled or running (${campaigns.slice(0, 3).join(', ')})`,
    imports > 0 && `${many(imports, 'import of contacts is', 'imports of contacts are')} under way`,
  ].filter((part) => part !== false);
  if (parts.length === 0) return null;
  return `the channel is in use: ${parts.join('; ')}. Cancel them or wait until they have ended`;
}

function many(count: number, one: string, more: string): string {
  return `${count} ${count === 1 ? one : more}`;
}
