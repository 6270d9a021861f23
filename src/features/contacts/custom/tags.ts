import type pg from 'pg';
import { AppError } from '../../../platform/errors/app-error.js';
import type { PrismaClient } from '../../../platform/generated/prisma/client.js';
import { type Connection, withTransaction } from '../../../platform/store/with-transaction.js';
import { toTag } from './tag-names.js';
import { deleteTagRow, holdTags, insertTags, isTagUsed, lockTag } from './tag-store.js';

/** Maximum different tags of an account. */
export const MAX_TAGS = 1_000;

/** In alphabetical order. */
export async function listTags(
  { prisma }: { prisma: Pick<PrismaClient, 'contactTag'> },
  accountId: string,
): Promise<string[]> {
  const rows = await prisma.contactTag.findMany({ where: { accountId }, orderBy: { name: 'asc' } });
  return rows.map(({ name }) => name);
}

/**
 * Creates missing tags, and keeps all of them from being deleted until the transaction ends. Call this function before
 * the transaction locks contacts.
 * @param tags Results of `toTags`
 * @throws {AppError} INVALID_REQUEST if the account would have too many tags
 */
export async function ensureTags(
  client: pg.PoolClient,
  accountId: string,
  tags: readonly string[],
  now: Date,
): Promise<void> {
  if (tags.length === 0) return;
  const heldTags = new Set(await holdTags(client, accountId, tags));
  const missing = tags.filter((tag) => !heldTags.has(tag));
  if (missing.length === 0) return;
  const count = await insertTags(client, accountId, missing, now);
  if (count > MAX_TAGS) {
    const rule = `would exceed the ${MAX_TAGS.toLocaleString('en')} different tags that an account may have`;
    throw new AppError('INVALID_REQUEST', `tags ${rule}`, [{ field: 'tags', rule }]);
  }
  if ((await holdTags(client, accountId, missing)).length === missing.length) return;
  throw new AppError('CONFLICT', 'A tag was deleted at the same time. Send the request again.');
}

/**
 * Returns false if the account has no such tag.
 * @throws {AppError} CONFLICT if a contact has the tag
 */
export async function deleteTag({ pool }: { pool: Connection }, accountId: string, text: string): Promise<boolean> {
  const tag = toTag(text);
  if (tag === null) return false;
  return await withTransaction(pool, async (client) => {
    if (!(await lockTag(client, accountId, tag))) return false;
    if (await isTagUsed(client, accountId, tag)) {
      throw new AppError('CONFLICT', 'Contacts have this tag. Remove the tag from them first.');
    }
    await deleteTagRow(client, accountId, tag);
    return true;
  });
}
