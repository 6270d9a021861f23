import type { OperatorRole } from '../../../platform/generated/prisma/client.js';

export type { OperatorRole };

/** From the least to the most; each may do what those before it may. */
export const ROLES = ['viewer', 'developer', 'owner'] as const satisfies readonly OperatorRole[];

/** What an operator may do, and where. */
export interface Grant {
  role: OperatorRole;
  /** Null: the whole installation, every account in it included. */
  accountId: string | null;
}

/** Whether a role may do what another may. */
export function isAtLeast(role: OperatorRole, needed: OperatorRole): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/**
 * The highest role that grants give; null where they give none.
 * @param accountId of this account, for which those of the installation count too; null: of the installation itself
 */
export function roleFor(grants: readonly Grant[], accountId: string | null): OperatorRole | null {
  let highest: OperatorRole | null = null;
  for (const { role, accountId: of } of grants) {
    if (of !== null && of !== accountId) continue;
    if (highest === null || isAtLeast(role, highest)) highest = role;
  }
  return highest;
}

/** The accounts that grants let an operator see: `all`, or their ids. */
export function visibleAccounts(grants: readonly Grant[]): 'all' | string[] {
  const ids: string[] = [];
  for (const { accountId } of grants) {
    if (accountId === null) return 'all';
    ids.push(accountId);
  }
  return ids;
}
