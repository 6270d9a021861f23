import type { Operator, Prisma, PrismaClient } from '../../platform/generated/prisma/client.js';
import { isLinked } from './oidc/identity-links.js';
import type { OperatorRole } from './roles/roles.js';
import { type ConfirmationMethod, findConfirmationMethod } from './sign-in/confirmation.js';
import { hasSecondFactor } from './sign-in/second-factor.js';

export interface ListedOperator {
  id: string;
  name: string;
  isActive: boolean;
  hasPassword: boolean;
  hasSecondFactor: boolean;
  createdAt: Date;
  lastSignedInAt: Date | null;
  /** Oldest first. */
  grants: { role: OperatorRole; accountId: string | null; accountName: string | null }[];
}

type OperatorTable = Pick<PrismaClient, 'operator'>;

const GRANTS = {
  orderBy: { id: 'asc' },
  select: { role: true, accountId: true, account: { select: { name: true } } },
} as const satisfies Prisma.Operator$grantsArgs;

type Row = Operator & {
  grants: { role: OperatorRole; accountId: string | null; account: { name: string } | null }[];
};

function toListedOperator(row: Row): ListedOperator {
  const { id, name, isActive, createdAt, lastSignedInAt } = row;
  return {
    id,
    name,
    isActive,
    hasPassword: row.passwordHash !== null,
    hasSecondFactor: hasSecondFactor(row),
    createdAt,
    lastSignedInAt,
    grants: row.grants.map(({ role, accountId, account }) => ({ role, accountId, accountName: account?.name ?? null })),
  };
}

export async function readOwnSecurity(
  { prisma }: { prisma: OperatorTable },
  id: string,
): Promise<{
  hasPassword: boolean;
  hasSecondFactor: boolean;
  hasOidc: boolean;
  recoveryCodesLeft: number;
  confirmBy: ConfirmationMethod;
}> {
  const row = await prisma.operator.findUniqueOrThrow({ where: { id } });
  return {
    hasPassword: row.passwordHash !== null,
    hasSecondFactor: hasSecondFactor(row),
    hasOidc: isLinked(row),
    recoveryCodesLeft: row.recoveryCodeHashes.length,
    confirmBy: findConfirmationMethod(row),
  };
}

/** If `accountId` is set, lists only operators with a role in the account, and only their roles in the account. */
export async function listOperators(
  { prisma }: { prisma: OperatorTable },
  { limit, before, accountId = null }: { limit: number; before: string | null; accountId?: string | null },
): Promise<{ operators: ListedOperator[]; next: string | null }> {
  const accountFilter = accountId === null ? {} : { where: { accountId } };
  const rows = await prisma.operator.findMany({
    where: {
      ...(before !== null && { id: { lt: before } }),
      ...(accountId !== null && { grants: { some: { accountId } } }),
    },
    include: { grants: { ...GRANTS, ...accountFilter } },
    orderBy: { id: 'desc' },
    take: limit + 1,
  });
  const page = rows.slice(0, limit);
  return { operators: page.map(toListedOperator), next: rows.length > limit ? (page.at(-1)?.id ?? null) : null };
}

export async function hasOperators({ prisma }: { prisma: OperatorTable }): Promise<boolean> {
  return (await prisma.operator.findFirst({ select: { id: true } })) !== null;
}
