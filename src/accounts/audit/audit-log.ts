import { Prisma, type PrismaClient } from '../../platform/generated/prisma/client.js';
import { newId } from '../../platform/ids.js';
import { insertAuditEntry, type QueryRunner } from './audit-store.js';
import type { Actor, AuditEntry } from './entry.js';

export type { Actor, AuditEntry as Change } from './entry.js';

export type AuditStore = Pick<PrismaClient, 'auditLine'> | QueryRunner;

/**
 * Use cases call `makeChange` instead of `writeAuditEntry`, so that a change and its audit log entry share a transaction.
 */
export async function writeAuditEntry(
  store: AuditStore,
  { actor, ...change }: AuditEntry & { actor: Actor },
): Promise<void> {
  const { action, accountId, subject, before = null, after = null } = change;
  const { id: actorId, address } = actor.kind === 'operator' ? actor : { id: null, address: null };
  if ('auditLine' in store) {
    const toJson = (value: object | null) => (value === null ? Prisma.DbNull : (value as Prisma.InputJsonObject));
    await store.auditLine.create({
      data: {
        id: newId(),
        actorKind: actor.kind,
        actorId,
        actorName: actor.name,
        address,
        action,
        accountId,
        subject,
        before: toJson(before),
        after: toJson(after),
      },
    });
    return;
  }
  const toJson = (value: object | null) => (value === null ? null : JSON.stringify(value));
  const row = [newId(), actor.kind, actorId, actor.name, address, action, accountId, subject] as const;
  await insertAuditEntry(store, [...row, toJson(before), toJson(after)]);
}
