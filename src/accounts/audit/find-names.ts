import type { AuditLine, PrismaClient } from '../../platform/generated/prisma/client.js';
import { isUuid } from '../../platform/ids.js';

type NamedLine = Pick<AuditLine, 'action' | 'accountId' | 'subject' | 'before' | 'after'>;
type NamedTables = Pick<PrismaClient, 'account' | 'operator' | 'apiKey' | 'channel'>;

/** Maximum number of IDs to look up, because a single audit log entry can contain the IDs of many contacts. */
const MAX_IDS = 500;

export async function findAuditNames(
  { prisma }: { prisma: NamedTables },
  lines: readonly NamedLine[],
  onlyAccountId: string | undefined,
): Promise<Map<string, string>> {
  const ids = collectIds(lines.map(({ accountId, subject, before, after }) => [accountId, subject, before, after]));
  // Look up only names in the account, because its users can put other accounts' IDs into audit log entries that are
  // not about operators.
  const operatorSubjects = lines.filter(({ action }) => action.startsWith('operator.')).map(({ subject }) => subject);
  const operatorIds = onlyAccountId === undefined ? ids : collectIds(operatorSubjects);
  const select = { id: true, name: true } as const;
  const where = { id: { in: ids }, accountId: onlyAccountId };
  const namedRows = await Promise.all([
    ids.length > 0
      ? prisma.account.findMany({ where: { AND: [{ id: where.id }, { id: onlyAccountId }] }, select })
      : [],
    operatorIds.length > 0 ? prisma.operator.findMany({ where: { id: { in: operatorIds } }, select }) : [],
    ids.length > 0 ? prisma.apiKey.findMany({ where, select }) : [],
    ids.length > 0 ? prisma.channel.findMany({ where, select }) : [],
  ]);
  return new Map(namedRows.flat().map(({ id, name }) => [id, name]));
}

function collectIds(value: unknown): string[] {
  const ids = new Set<string>();
  const collect = (node: unknown) => {
    if (typeof node === 'string' && isUuid(node)) ids.add(node);
    else if (typeof node === 'object' && node !== null) for (const child of Object.values(node)) collect(child);
  };
  collect(value);
  return [...ids].slice(0, MAX_IDS);
}
