import type { AuditLine, PrismaClient } from '../../platform/generated/prisma/client.js';
import { isUuid } from '../../platform/ids.js';

type NamedLine = Pick<AuditLine, 'action' | 'accountId' | 'subject' | 'before' | 'after'>;
type NamedTables = Pick<PrismaClient, 'account' | 'operator' | 'apiKey' | 'channel'>;

/** How many ids of a page are looked up; one line may hold those of a whole selection of contacts. */
const MOST_IDS = 500;

/**
 * What accounts, operators, apps, API keys and channels are called, by id, where lines name them by their ids and they are
 * there still.
 * @param ofAccount whose lines they are: nothing of another account is told; undefined: the whole audit log
 */
export async function namesIn(
  { prisma }: { prisma: NamedTables },
  lines: readonly NamedLine[],
  ofAccount: string | undefined,
): Promise<Map<string, string>> {
  const ids = idsIn(lines.map(({ accountId, subject, before, after }) => [accountId, subject, before, after]));
  // Whoever works with an account may write any id into it, but not into a line about an operator.
  const aboutOperators = lines.filter(({ action }) => action.startsWith('operator.')).map(({ subject }) => subject);
  const operatorIds = ofAccount === undefined ? ids : idsIn(aboutOperators);
  const select = { id: true, name: true } as const;
  const where = { id: { in: ids }, accountId: ofAccount };
  const things = await Promise.all([
    ids.length > 0 ? prisma.account.findMany({ where: { AND: [{ id: where.id }, { id: ofAccount }] }, select }) : [],
    operatorIds.length > 0 ? prisma.operator.findMany({ where: { id: { in: operatorIds } }, select }) : [],
    ids.length > 0 ? prisma.apiKey.findMany({ where, select }) : [],
    ids.length > 0 ? prisma.channel.findMany({ where, select }) : [],
  ]);
  return new Map(things.flat().map(({ id, name }) => [id, name]));
}

function idsIn(value: unknown): string[] {
  const found = new Set<string>();
  const look = (part: unknown) => {
    if (typeof part === 'string' && isUuid(part)) found.add(part);
    else if (typeof part === 'object' && part !== null) for (const each of Object.values(part)) look(each);
  };
  look(value);
  return [...found].slice(0, MOST_IDS);
}
