import { notFound } from '../../platform/errors/app-error.js';
import { isUuid } from '../../platform/ids.js';
import type { Connection } from '../../platform/store/with-transaction.js';
import type { ContactFilter } from '../contacts/search/list-store.js';
import { type AudienceScope, findAudiences } from './audience-store.js';
import { conditionSql, findRequiredMarks } from './compile.js';
import type { Condition } from './condition.js';
import { loadConditionContext } from './context.js';

/** @param condition as returned by `checkCondition` or as stored */
export async function toContactFilter(
  connection: Connection,
  scope: AudienceScope,
  condition: Condition,
  now: Date,
): Promise<ContactFilter> {
  const context = await loadConditionContext(connection, scope, now);
  return {
    channelId: scope.channelId,
    ...findRequiredMarks(condition, context),
    condition: (bind) => conditionSql(condition, context, bind),
  };
}

/**
 * Adds the condition of an audience to a filter of contacts.
 * @param id undefined to leave the filter unchanged
 * @returns null for an unknown audience, which no contact is in
 */
export async function filterByAudience(
  connection: Connection,
  scope: AudienceScope,
  { filter, id, now }: { filter: ContactFilter; id: string | undefined; now: Date },
): Promise<ContactFilter | null> {
  if (id === undefined) return filter;
  const [audience] = isUuid(id) ? await findAudiences(connection, scope, [id]) : [];
  if (!audience) return null;
  const { tags = [], fields, condition } = await toContactFilter(connection, scope, audience.condition, now);
  const allTags = [...new Set([...tags, ...(filter.tags ?? [])])];
  return {
    ...filter,
    ...(allTags.length > 0 && { tags: allTags }),
    // The condition is also checked without its values, which only help to use an index.
    ...(filter.fields === undefined && fields !== undefined && { fields }),
    condition,
  };
}

/**
 * Builds SQL that selects the IDs of all contacts who are in at least one of the audiences, each ID once and in no order.
 * @param bind adds a value to the caller's statement and returns its placeholder, for example `$3`
 * @param now business time, for conditions such as "in the last 7 days"
 * @throws {AppError} NOT_FOUND for an unknown audience
 */
export async function buildMembersSql(
  connection: Connection,
  scope: AudienceScope,
  { audienceIds, now }: { audienceIds: readonly string[]; now: Date },
  bind: (value: unknown) => string,
): Promise<string> {
  const audiences = await requireAudiences(connection, scope, audienceIds);
  const context = await loadConditionContext(connection, scope, now);
  const conditions = audiences.map(({ condition }) => `(${conditionSql(condition, context, bind)})`);
  return `SELECT c.id FROM contacts c
    WHERE c.channel_id = ${bind(scope.channelId)} AND c.account_id = ${bind(scope.accountId)}
      AND (${conditions.join(' OR ') || 'false'})`;
}

/** @throws {AppError} NOT_FOUND if the channel does not have all the audiences */
export async function requireAudiences(connection: Connection, scope: AudienceScope, audienceIds: readonly string[]) {
  const audiences = await findAudiences(connection, scope, audienceIds);
  if (audiences.length < new Set(audienceIds).size) throw notFound('audience', 'audienceIds');
  return audiences;
}
