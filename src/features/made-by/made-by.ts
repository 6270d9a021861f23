import type { ToldChange } from '../../accounts/audit/change.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';

type MadeTables = Pick<PrismaClient, 'apiKey' | 'webhook'>;

/** What operators make that goes on without them. */
export type MadeKind = 'app' | 'key' | 'webhook';

/** Something that works and that an operator made. */
export interface MadeThing {
  kind: MadeKind;
  id: string;
  /** Of an app or key; of a webhook its URL. */
  name: string;
  accountId: string;
  accountName: string;
}

/** Notes which operator made something, in the transaction in which it was made. */
export async function noteMaker(
  prisma: MadeTables,
  { kind, id }: Pick<MadeThing, 'kind' | 'id'>,
  operator: { id: string; name: string },
): Promise<void> {
  const data = { madeById: operator.id, madeByName: operator.name };
  if (kind === 'webhook') await prisma.webhook.updateMany({ where: { id }, data });
  else await prisma.apiKey.updateMany({ where: { id }, data });
}

/** Who made each of some webhooks, by id; those that nobody noted are left out. */
export async function makersOfWebhooks(prisma: MadeTables, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await prisma.webhook.findMany({
    where: { id: { in: [...ids] }, madeByName: { not: null } },
    select: { id: true, madeByName: true },
  });
  return new Map(rows.map(({ id, madeByName }) => [id, madeByName ?? '']));
}

/** What an operator made and what still works: keys that are not revoked, webhooks that are on; the oldest first. */
export async function madeBy(
  prisma: MadeTables & Pick<PrismaClient, 'account'>,
  operatorId: string,
): Promise<MadeThing[]> {
  const order = { orderBy: { id: 'asc' } } as const;
  const [keys, webhooks] = await Promise.all([
    prisma.apiKey.findMany({ where: { madeById: operatorId, revokedAt: null }, ...order }),
    prisma.webhook.findMany({ where: { madeById: operatorId, isActive: true, isCallback: false }, ...order }),
  ]);
  const things = [
    ...keys.map(({ id, name, surface, accountId }) => ({ kind: surface === 'a' ? 'app' : 'key', id, name, accountId })),
    ...webhooks.map(({ id, url, accountId }) => ({ kind: 'webhook', id, name: url, accountId })),
  ] as const;
  const where = { id: { in: [...new Set(things.map(({ accountId }) => accountId))] } };
  const accounts = await prisma.account.findMany({ where, select: { id: true, name: true } });
  const names = new Map(accounts.map(({ id, name }) => [id, name]));
  return things.map((thing) => ({ ...thing, accountName: names.get(thing.accountId) ?? '' })) as MadeThing[];
}

/**
 * Ends what an operator made: revokes apps and keys for good, switches webhooks off. Running servers obey within seconds.
 * @param at now
 * @returns the lines of it for the audit log, each of the account of the thing
 */
export async function endMadeBy(
  prisma: MadeTables & Pick<PrismaClient, 'account'>,
  operatorId: string,
  at: Date,
): Promise<ToldChange[]> {
  const things = await madeBy(prisma, operatorId);
  const idsOf = (isWebhook: boolean) =>
    things.filter(({ kind }) => (kind === 'webhook') === isWebhook).map(({ id }) => id);
  await prisma.apiKey.updateMany({ where: { id: { in: idsOf(false) } }, data: { revokedAt: at } });
  await prisma.webhook.updateMany({ where: { id: { in: idsOf(true) } }, data: { isActive: false, updatedAt: at } });
  return things.map(({ kind, id, name, accountId }) =>
    kind === 'webhook'
      ? {
          action: 'webhook.update',
          subject: id,
          accountId,
          before: { url: name, isActive: true },
          after: { isActive: false },
        }
      : { action: `${kind}.revoke`, subject: id, accountId, before: { name } },
  );
}
