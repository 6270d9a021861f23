import type { OperatorRole } from '../../../platform/generated/prisma/client.js';

export type { OperatorRole };

/** Roles in ascending order: each role includes the permissions of the previous roles. */
export const ROLES = ['viewer', 'developer', 'owner'] as const satisfies readonly OperatorRole[];

export interface Grant {
  role: OperatorRole;
  /** If `accountId` is null, the role applies to the installation and to all accounts. */
  accountId: string | null;
}

export function isAtLeast(role: OperatorRole, needed: OperatorRole): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** If `accountId` is null, only roles for the whole installation count. */
export function findHighestRole(grants: readonly Grant[], accountId: string | null): OperatorRole | null {
  let highest: OperatorRole | null = null;
  for (const { role, accountId: grantedAccount } of grants) {
    if (grantedAccount !== null && grantedAccount !== accountId) continue;
    if (highest === null || isAtLeast(role, highest)) highest = role;
  }
  return highest;
}

export function listVisibleAccountIds(grants: readonly Grant[]): 'all' | string[] {
  const ids: string[] = [];
  for (const { accountId } of grants) {
    if (accountId === null) return 'all';
    ids.push(accountId);
  }
  return ids;
}
