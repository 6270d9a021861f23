import type { AuditEntryInput } from '../../audit/change.js';
import type { Grant } from '../roles/roles.js';

/** Where a role applies: an account ID, or null for the whole installation. */
type GrantScope = string | null;

/** The fields that all entries about an operator share. */
export function describeOperator(action: string, { id, name }: { id: string; name: string }) {
  return { action, accountId: null, subject: id, after: { name } };
}

/**
 * Creates one entry per scope that a change affects, because readers of an account's log see only that account's
 * entries.
 * @param describeAt returns the entry for a scope. An account's entry must not reveal other accounts.
 */
export function entriesByScope(
  scopes: readonly GrantScope[],
  describeAt: (scope: GrantScope) => AuditEntryInput,
): AuditEntryInput[] {
  return scopes.map((scope) => ({ ...describeAt(scope), accountId: scope }));
}

/** Lists the distinct scopes of grants, the installation last. */
export function listScopes(grants: readonly Grant[]): GrantScope[] {
  const accounts = new Set(grants.map(({ accountId }) => accountId));
  const hasInstallation = accounts.delete(null);
  return hasInstallation ? [...accounts, null] : [...accounts];
}

/** Lists the distinct scopes of grants, always including the installation. */
export function listScopesWithInstallation(grants: readonly Grant[]): GrantScope[] {
  return [...listScopes(grants).filter((scope) => scope !== null), null];
}

/** Returns the grants for one scope, as the audit log shows them. */
export function filterGrants(grants: readonly Grant[], scope: GrantScope): Grant[] {
  return toAuditGrants(grants.filter(({ accountId }) => accountId === scope));
}

/** Reduces grants to what the audit log shows. */
export function toAuditGrants(grants: readonly Grant[]): Grant[] {
  return grants.map(({ role, accountId }) => ({ role, accountId }));
}
