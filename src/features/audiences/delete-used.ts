import type pg from 'pg';
import { AppError } from '../../platform/errors/app-error.js';
import { type Connection, withTransaction } from '../../platform/store/with-transaction.js';
import { lockField } from '../contacts/custom/field-store.js';
import { deleteField } from '../contacts/custom/fields.js';
import { deleteGroupRow, lockGroupForDeletion } from '../contacts/groups/group-store.js';
import { type AudienceScope, readAllAudiences } from './audience-store.js';
import { type Condition, usesCustomField, usesGroup } from './condition.js';

/**
 * Keeps the group's contacts. Returns false for an unknown group.
 * @throws {AppError} CONFLICT naming the audiences that use the group
 */
export async function deleteUnusedGroup(
  { pool }: { pool: Connection },
  scope: AudienceScope,
  id: string,
): Promise<boolean> {
  return await withTransaction(pool, async (client) => {
    if (!(await lockGroupForDeletion(client, scope, id))) return false;
    await refuseIfUsed(client, scope.accountId, scope.channelId, 'group', (condition) => usesGroup(condition, id));
    await deleteGroupRow(client, scope, id);
    return true;
  });
}

/**
 * As `deleteField`. Returns false for an unknown field.
 * @throws {AppError} CONFLICT naming the audiences that use the field
 */
export async function deleteUnusedField(
  { pool }: { pool: Connection },
  accountId: string,
  key: string,
  now: Date,
): Promise<boolean> {
  return await withTransaction(pool, async (client) => {
    if ((await lockField(client, accountId, key)) === null) return false;
    await refuseIfUsed(client, accountId, null, 'field', (condition) => usesCustomField(condition, key));
    return await deleteField({ pool: client }, accountId, key, now);
  });
}

const MAX_NAMED = 3;

async function refuseIfUsed(
  client: pg.PoolClient,
  accountId: string,
  channelId: string | null,
  resource: 'group' | 'field',
  isUsedIn: (condition: Condition) => boolean,
): Promise<void> {
  const names = (await readAllAudiences(client, accountId, channelId))
    .filter(({ condition }) => isUsedIn(condition))
    .map(({ name }) => JSON.stringify(name));
  if (names.length === 0) return;
  const shownNames = names.slice(0, MAX_NAMED).join(', ');
  const further = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  const audiences = names.length === 1 ? 'audience' : 'audiences';
  throw new AppError(
    'CONFLICT',
    `The ${audiences} ${shownNames}${further} use${names.length === 1 ? 's' : ''} this ${resource}.`,
  );
}
