import type { AuditEntryInput } from '../../audit/change.js';
import type { Grant } from '../roles/roles.js';

/** Account ID, or null for roles that apply to the whole installation. */
type GrantScope = string | null;

export function createOperatorEntry(action: string, { id, name }: { id: string; name: string }) {
  return { action, accountId: null, subject: id, after: { name } };
}

/**
 * Creates a separate audit log entry for each account, because readers of an account's log see only that account's entries.
 * `createEntry` must not mention other accounts in an account's audit log entry.
 */
export function createEntriesByScope(
  scopes: readonly GrantScope[],
  createEntry: (scope: GrantScope) => AuditEntryInput,
): AuditEntryInput[] {
  return scopes.map((scope) => ({ ...createEntry(scope), accountId: scope }));
}

/** The installation comes last. */
export function listScopes(grants: readonly Grant[]): GrantScope[] {
  const accounts = new Set(grants.map(({ accountId }) => accountId));
  const hasInstallation = accounts.delete(null);
  return hasInstallation ? [...accounts, null] : [...accounts];
}

/** Always includes the installation. */
export function listScopesWithInstallation(grants: readonly Grant[]): GrantScope[] {
  return [...listScopes(grants).filter((scope) => scope !== null), null];
}

export function filterGrants(grants: readonly Grant[], scope: GrantScope): Grant[] {
  return toAuditGrants(grants.filter(({ accountId }) => accountId === scope));
}

export function toAuditGrants(grants: readonly Grant[]): Grant[] {
  return grants.map(({ role, accountId }) => ({ role, accountId }));
}
