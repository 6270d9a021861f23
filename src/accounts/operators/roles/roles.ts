import type { OperatorRole } from '../../../platform/generated/prisma/client.js';

export type { OperatorRole };

/** In ascending order; each includes the previous ones. */
export const ROLES = ['viewer', 'developer', 'owner'] as const satisfies readonly OperatorRole[];

export interface Grant {
  role: OperatorRole;
  /** Null: the installation and every account in it. */
  accountId: string | null;
}

export function isAtLeast(role: OperatorRole, needed: OperatorRole): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** @param accountId null: the installation, whose roles also count for every account */
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
