import { Prisma, type PrismaClient } from '../../platform/generated/prisma/client.js';
import { newId } from '../../platform/ids.js';
import { type Asking, insertAuditLine } from './audit-store.js';

/** Who made a change. */
export type Actor =
  | { kind: 'operator'; id: string; name: string; address: string }
  /** The user of the operating system who ran a command. */
  | { kind: 'cli'; name: string }
  /** Heliograph itself, such as the first start. */
  | { kind: 'system'; name: string };

/** What a change was. No secret may be in it. */
export interface Change {
  /** `thing.verb`, e.g. `app.create`. */
  action: string;
  /** Null: it concerns the whole installation. */
  accountId: string | null;
  /** Id or name of what was changed. */
  subject: string;
  /** What it was, as far as it was changed; left out where it was not there. Anything that is JSON. */
  before?: object | null;
  /** What it became; left out where it is gone. */
  after?: object | null;
}

/** Prisma's client, also in a transaction, or a pool or connection of `pg`. */
export type AuditStore = Pick<PrismaClient, 'auditLine'> | Asking;

/** Writes a line of the audit log: in the transaction of the change where it has one, otherwise right after it. */
export async function audit(store: AuditStore, { actor, ...change }: Change & { actor: Actor }): Promise<void> {
  const { action, accountId, subject, before = null, after = null } = change;
  const { id: actorId, address } = actor.kind === 'operator' ? actor : { id: null, address: null };
  if ('auditLine' in store) {
    const json = (value: object | null) => (value === null ? Prisma.DbNull : (value as Prisma.InputJsonObject));
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
        before: json(before),
        after: json(after),
      },
    });
    return;
  }
  const json = (value: object | null) => (value === null ? null : JSON.stringify(value));
  const row = [newId(), actor.kind, actorId, actor.name, address, action, accountId, subject] as const;
  await insertAuditLine(store, [...row, json(before), json(after)]);
}
