import type { AuditEntryInput } from '../../accounts/audit/change.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';

type CredentialTables = Pick<PrismaClient, 'apiKey' | 'webhook'>;

/** Credentials keep working after the operator who created them has left. */
export type CredentialKind = 'app' | 'key' | 'webhook';

export interface CreatedCredential {
  kind: CredentialKind;
  id: string;
  /** For a webhook, its URL, because webhooks have no name. */
  name: string;
  accountId: string;
  accountName: string;
}

/** Call this function in the transaction that creates the credential. */
export async function recordCreator(
  prisma: CredentialTables,
  { kind, id }: Pick<CreatedCredential, 'kind' | 'id'>,
  operator: { id: string; name: string },
): Promise<void> {
  const data = { madeById: operator.id, madeByName: operator.name };
  if (kind === 'webhook') await prisma.webhook.updateMany({ where: { id }, data });
  else await prisma.apiKey.updateMany({ where: { id }, data });
}

/** Returns the creators' names by webhook ID, without webhooks that were created by the CLI. */
export async function findWebhookCreators(
  prisma: CredentialTables,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await prisma.webhook.findMany({
    where: { id: { in: [...ids] }, madeByName: { not: null } },
    select: { id: true, madeByName: true },
  });
  return new Map(rows.map(({ id, madeByName }) => [id, madeByName ?? '']));
}

/** Active credentials, oldest first. */
export async function listActiveCredentials(
  prisma: CredentialTables & Pick<PrismaClient, 'account'>,
  operatorId: string,
): Promise<CreatedCredential[]> {
  const order = { orderBy: { id: 'asc' } } as const;
  const [keys, webhooks] = await Promise.all([
    prisma.apiKey.findMany({ where: { madeById: operatorId, revokedAt: null }, ...order }),
    prisma.webhook.findMany({ where: { madeById: operatorId, isActive: true, isCallback: false }, ...order }),
  ]);
  const credentials = [
    ...keys.map(({ id, name, surface, accountId }) => ({ kind: surface === 'a' ? 'app' : 'key', id, name, accountId })),
    ...webhooks.map(({ id, url, accountId }) => ({ kind: 'webhook', id, name: url, accountId })),
  ] as const;
  const where = { id: { in: [...new Set(credentials.map(({ accountId }) => accountId))] } };
  const accounts = await prisma.account.findMany({ where, select: { id: true, name: true } });
  const names = new Map(accounts.map(({ id, name }) => [id, name]));
  return credentials.map((credential) => ({
    ...credential,
    accountName: names.get(credential.accountId) ?? '',
  })) as CreatedCredential[];
}

/**
 * Revokes the operator's apps and keys, and deactivates the operator's webhooks. Running servers apply the changes
 * within seconds.
 */
export async function revokeCreatedCredentials(
  prisma: CredentialTables & Pick<PrismaClient, 'account'>,
  operatorId: string,
  now: Date,
): Promise<AuditEntryInput[]> {
  const credentials = await listActiveCredentials(prisma, operatorId);
  const selectIds = (isWebhook: boolean) =>
    credentials.filter(({ kind }) => (kind === 'webhook') === isWebhook).map(({ id }) => id);
  await prisma.apiKey.updateMany({ where: { id: { in: selectIds(false) } }, data: { revokedAt: now } });
  await prisma.webhook.updateMany({
    where: { id: { in: selectIds(true) } },
    data: { isActive: false, updatedAt: now },
  });
  return credentials.map(({ kind, id, name, accountId }) =>
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
