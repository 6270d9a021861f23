import type pg from 'pg';
import type { PersonIds } from '../../../carriers/numbers/user-ids.js';
import type { ChannelScope } from './identity-store.js';
import { moveStragglers, recordStragglers } from './merge-campaigns-store.js';
import { mergeConversations } from './merge-conversations-store.js';
import { moveMemberships } from './merge-memberships-store.js';
import { lockRuns, moveRuns } from './merge-runs-store.js';
import { completeContact, forwardContact, lockForMerge } from './merge-store.js';

/** Contacts that turned out to be one person. */
export interface Merge extends ChannelScope {
  /** The one that stays. */
  contactId: string;
  /** Those that become part of it, with all that is theirs. */
  absorbed: readonly string[];
}

/**
 * Locks contacts that may become one, their runs before them.
 * @returns whether all of them are there still
 */
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
 * Makes contacts part of another, which the caller's transaction has locked: groups, campaigns under way, runs of automations,
 * conversation with its window and what is unread, and ids. Opt-outs are by address: the caller settles them.
 * @param ids what the contact is known by afterwards, which runs that end here are told with
 */
export async function absorb(
  client: pg.PoolClient,
  { accountId, channelId, contactId, absorbed }: Merge,
  ids: Pick<PersonIds, 'phone' | 'userId'> & { username: string | null },
  now: Date,
): Promise<void> {
  if (absorbed.length === 0) return;
  const gone = await lockForMerge(client, channelId, absorbed);
  for (const each of gone) {
    const way = { from: each.id, to: contactId };
    await recordStragglers(client, channelId, way);
    await moveStragglers(client, way);
    await moveMemberships(client, way.from, way.to);
    await moveRuns(client, accountId, { from: each.id, to: { contactId, ...ids } }, now);
    await mergeConversations(client, way.from, way.to);
    await completeContact(client, contactId, each);
    await forwardContact(client, way.from, way.to, now);
  }
}
