import { loadCountryDirectory } from '../../carriers/numbers/country-patterns.js';
import { AppError } from '../../platform/errors/app-error.js';
import { invalidFields } from '../../platform/errors/field-problems.js';
import { newId } from '../../platform/ids.js';
import { type Connection, withTransaction } from '../../platform/store/with-transaction.js';
import { holdFields } from '../contacts/custom/field-store.js';
import {
  type Audience,
  type AudiencePage,
  type AudienceScope,
  countAudiences,
  deleteAudienceRow,
  findAudiences,
  findUnknownReferences,
  insertAudience,
  lockAudience,
  lockNewAudiences,
  readAudiences,
  readFieldDefinitions,
  updateAudienceRow,
} from './audience-store.js';
import { type Condition, listTests, toCustomKey } from './condition.js';
import { parseCondition } from './parse.js';

/** Maximum audiences of a channel. */
export const MAX_AUDIENCES = 500;

/** Newest first. */
export async function listAudiences(
  { pool }: { pool: Connection },
  scope: AudienceScope,
  page: AudiencePage,
): Promise<{ audiences: Audience[]; total: number }> {
  return { audiences: await readAudiences(pool, scope, page), total: await countAudiences(pool, scope) };
}

/** Newest first. */
export async function listAudiencePage(
  { pool }: { pool: Connection },
  scope: AudienceScope,
  { limit, before, search }: { limit: number; before: string | null; search?: string },
): Promise<{ audiences: Audience[]; next: string | null }> {
  const rows = await readAudiences(pool, scope, { limit: limit + 1, before, search });
  const audiences = rows.slice(0, limit);
  return { audiences, next: rows.length > limit ? (audiences.at(-1)?.id ?? null) : null };
}

export async function readAudience(
  { pool }: { pool: Connection },
  scope: AudienceScope,
  id: string,
): Promise<Audience | null> {
  return (await findAudiences(pool, scope, [id]))[0] ?? null;
}

/**
 * @param condition as in a request
 * @throws {AppError} INVALID_REQUEST naming every invalid part of the condition, or CONFLICT for a name in use or too many
 * audiences
 */
export async function createAudience(
  { pool }: { pool: Connection },
  scope: AudienceScope,
  { name, condition }: { name: string; condition: unknown },
  now: Date,
): Promise<Audience> {
  return await withTransaction(pool, async (client) => {
    const checked = await checkCondition(client, scope, condition);
    await lockNewAudiences(client, scope);
    if ((await countAudiences(client, scope)) >= MAX_AUDIENCES)
      throw new AppError('CONFLICT', `A channel can have at most ${MAX_AUDIENCES} audiences.`);
    return await refuseUsedName(() =>
      insertAudience(client, { id: newId(), ...scope, name, condition: checked, at: now }),
    );
  });
}

/**
 * Returns the audience before and after the change, or null for an unknown audience.
 * @throws {AppError} as `createAudience`
 */
export async function updateAudience(
  { pool }: { pool: Connection },
  scope: AudienceScope,
  id: string,
  { name, condition, at }: { name?: string; condition?: unknown; at: Date },
): Promise<{ before: Audience; after: Audience } | null> {
  return await withTransaction(pool, async (client) => {
    // Fields and groups are locked before the audience, in the order of a transaction that deletes them.
    const checked = condition === undefined ? null : await checkCondition(client, scope, condition);
    const before = await lockAudience(client, scope, id);
    if (before === null) return null;
    if (name === undefined && checked === null) return { before, after: before };
    const after = await refuseUsedName(() =>
      updateAudienceRow(client, {
        id,
        name: name ?? before.name,
        condition: checked ?? before.condition,
        at,
      }),
    );
    return { before, after };
  });
}

/** Campaigns that have not started fail if one of their audiences is deleted. */
export async function deleteAudience(
  { pool }: { pool: Connection },
  scope: AudienceScope,
  id: string,
): Promise<boolean> {
  return await deleteAudienceRow(pool, scope, id);
}

/**
 * Checks a condition from a request. With a client in a transaction, the condition's fields and groups cannot be deleted
 * until the transaction ends.
 * @throws {AppError} INVALID_REQUEST naming every invalid part, for example `condition.all[2].value`
 */
export async function checkCondition(connection: Connection, scope: AudienceScope, input: unknown): Promise<Condition> {
  const countries = new Set((await loadCountryDirectory()).keys());
  const fields = await readFieldDefinitions(connection, scope.accountId);
  const { condition, problems, references } = parseCondition(input, { fields, countries });
  if (condition === null) throw invalidFields(problems);
  const unknown = await findUnknownReferences(connection, scope, references);
  if (unknown.length > 0)
    throw invalidFields(unknown.map(({ kind, path }) => ({ field: path, rule: `must be a ${kind} of the channel` })));
  await requireFields(connection, scope.accountId, condition);
  return condition;
}

async function requireFields(client: Connection, accountId: string, condition: Condition): Promise<void> {
  const keys = [...new Set(listTests(condition).flatMap(({ field }) => toCustomKey(field) ?? []))];
  if (keys.length === 0 || (await holdFields(client, accountId, keys)).length === keys.length) return;
  throw new AppError('CONFLICT', 'A contact field was deleted at the same time. Send the request again.');
}

const UNIQUE_VIOLATION = '23505';

async function refuseUsedName<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if ((error as { code?: unknown }).code !== UNIQUE_VIOLATION) throw error;
    throw new AppError(
      'CONFLICT',
      'The channel already has an audience with this name. Case, spaces and the Unicode form of accents are ignored.',
    );
  }
}
