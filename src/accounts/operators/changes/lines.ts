import type { ToldChange } from '../../audit/change.js';
import type { Grant } from '../roles/roles.js';

/** Where a role is: the id of an account; null: the whole installation. */
type Place = string | null;

/** What lines about an operator have in common. */
export function line(action: string, { id, name }: { id: string; name: string }) {
  return { action, accountId: null, subject: id, after: { name } };
}

/**
 * A line for each place that a change touches, for those who read the log of an account read no other lines.
 * @param lineAt what the line of a place says; that of an account may tell of no other account
 */
export function linesAt(places: readonly Place[], lineAt: (place: Place) => ToldChange): ToldChange[] {
  return places.map((place) => ({ ...lineAt(place), accountId: place }));
}

/** The places of grants, each once; the installation is the last. */
export function placesOf(grants: readonly Grant[]): Place[] {
  const accounts = new Set(grants.map(({ accountId }) => accountId));
  const isOfInstallation = accounts.delete(null);
  return isOfInstallation ? [...accounts, null] : [...accounts];
}

/** The places of grants, and the installation whether it is among them or not. */
export function everyPlaceOf(grants: readonly Grant[]): Place[] {
  return [...placesOf(grants).filter((place) => place !== null), null];
}

/** Those of grants that are for one place, as lines show them. */
export function grantsAt(grants: readonly Grant[], place: Place): Grant[] {
  return shown(grants.filter(({ accountId }) => accountId === place));
}

/** Grants as lines show them. */
export function shown(grants: readonly Grant[]): Grant[] {
  return grants.map(({ role, accountId }) => ({ role, accountId }));
}
