import type pg from 'pg';
import type { PersonIds } from '../../../carriers/numbers/user-ids.js';
import type { ChannelScope } from './identity-store.js';
import { moveStragglers, recordStragglers } from './merge-campaigns-store.js';
import { mergeConversations } from './merge-conversations-store.js';
import { moveMemberships } from './merge-memberships-store.js';
import { lockRuns, moveRuns } from './merge-runs-store.js';
import { completeContact, lockForMerge, redirectContact } from './merge-store.js';

export interface Merge extends ChannelScope {
  /** The contact that stays. */
  contactId: string;
  absorbed: readonly string[];
}

/** Locks the contacts' automation runs first, and returns false if one of the contacts no longer exists. */
export async function lockContacts(
  client: pg.PoolClient,
  channelId: string,
  contactIds: readonly string[],
): Promise<boolean> {
  if (contactIds.length === 0) return true;
  await lockRuns(client, contactIds);
  return (await lockForMerge(client, channelId, contactIds)).length === contactIds.length;
}

/**
 * The caller must have locked all contacts. Opt-outs are stored by address, so the caller must merge them.
 * @param ids The contact's IDs after the merge, for events about runs that end.
 */
export async function mergeContacts(
  client: pg.PoolClient,
  { accountId, channelId, contactId, absorbed }: Merge,
  ids: Pick<PersonIds, 'phone' | 'userId'> & { username: string | null },
  now: Date,
): Promise<void> {
  if (absorbed.length === 0) return;
  const sources = await lockForMerge(client, channelId, absorbed);
  for (const source of sources) {
    const direction = { from: source.id, to: contactId };
    await recordStragglers(client, channelId, direction);
    await moveStragglers(client, direction);
    await moveMemberships(client, direction);
    await moveRuns(client, accountId, { from: source.id, to: { contactId, ...ids } }, now);
    await mergeConversations(client, direction.from, direction.to);
    await completeContact(client, contactId, source);
    await redirectContact(client, direction, now);
  }
}
