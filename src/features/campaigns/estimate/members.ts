import type { Clock } from '../../../platform/clock.js';
import type { Connection } from '../../../platform/store/with-transaction.js';
import { buildMembersSql } from '../../audiences/contact-filter.js';
import type { ChannelSender } from '../../conversations/sending/compose.js';
import type { RecipientSources } from '../recipients/sources.js';
import { type EstimatedMember, findMemberIdsAfter, findMembers, findNewNumbers } from './members-store.js';

const BATCH_SIZE = 500;
/** IDs are read in larger steps, because each step evaluates all audiences. */
const ID_STEP = 20_000;
/** Values of the statement of `findMemberIdsAfter` before those of the sources. */
const STEP_VALUES = 2;

/** Reads everyone who would be a recipient now, each once. Numbers that are not contacts come last. */
export async function* readMembers(
  { pool, clock }: { pool: Connection; clock: Clock },
  channel: ChannelSender['channel'],
  scope: { accountId: string; channelId: string },
  { groupIds, audienceIds, phones }: RecipientSources,
): AsyncGenerator<EstimatedMember[]> {
  const estimateScope = { ...scope, channel };
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value) + STEP_VALUES}`;
  const parts = [`SELECT contact_id AS id FROM group_members WHERE group_id = ANY (${bind(groupIds)}::uuid[])`];
  if (phones.length > 0) {
    parts.push(
      `SELECT id FROM contacts WHERE channel_id = ${bind(scope.channelId)} AND phone = ANY (${bind(phones)}::text[])`,
    );
  }
  if (audienceIds.length > 0) {
    parts.push(await buildMembersSql(pool, scope, { audienceIds, now: clock.now() }, bind));
  }
  const members = { membersSql: parts.join('\nUNION\n'), values };
  for (let after: string | null = null, ids: string[]; ; after = ids.at(-1) ?? null) {
    ids = await findMemberIdsAfter(pool, members, after, ID_STEP);
    for (let start = 0; start < ids.length; start += BATCH_SIZE) {
      yield await findMembers(pool, estimateScope, ids.slice(start, start + BATCH_SIZE));
    }
    if (ids.length < ID_STEP) break;
  }
  for (let start = 0; start < phones.length; start += BATCH_SIZE) {
    yield await findNewNumbers(pool, estimateScope, phones.slice(start, start + BATCH_SIZE));
  }
}
