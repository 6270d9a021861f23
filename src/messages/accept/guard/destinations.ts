import type { AccountRef } from '../../../accounts/account-ref.js';
import { listGuards, type OwnedGuard } from '../../../accounts/guard/guard.js';
import { type FindDestination, loadDestinationFinder } from '../../../carriers/numbers/destinations.js';
import { AppError, type FieldProblem } from '../../../platform/errors/app-error.js';
import type { Turns } from '../../../platform/turns.js';
import type { SendRequest } from '../../compose/send-request.js';

const MAX_LISTED_PROBLEMS = 10;

const MAX_LISTED_DESTINATIONS = 20;

export interface Refusal {
  /** Error text without the field name that precedes it. */
  rule: string;
  setting: string;
}

/** Returns null if the recipient's address is allowed. */
export type DestinationCheck = (address: string) => Refusal | null;

export async function buildDestinationCheck(account: AccountRef): Promise<DestinationCheck | null> {
  const guards = listGuards(account).filter(({ guard }) => guard.refusesRisky || guard.allowed.length > 0);
  if (guards.length === 0) return null;
  const findDestination = await loadDestinationFinder();
  return (address) => {
    for (const guard of guards) {
      const refusal = checkAddress(account.id, guard, address, findDestination);
      if (refusal !== null) return refusal;
    }
    return null;
  };
}

/**
 * @param turns yields to other requests, because checking thousands of numbers takes long
 * @throws {AppError} DESTINATION_REFUSED
 */
export async function checkDestinations({ account, recipients }: SendRequest, turns: Turns): Promise<void> {
  const check = await buildDestinationCheck(account);
  if (!check) return;
  const problems: FieldProblem[] = [];
  const settings = new Set<string>();
  for (const refusal of await turns.map(recipients, ({ digits }) => check(digits))) {
    if (refusal === null) continue;
    problems.push({ field: 'to', rule: refusal.rule });
    settings.add(refusal.setting);
  }
  if (problems.length > 0) throw createDestinationError(problems, settings);
}

function createDestinationError(problems: readonly FieldProblem[], settings: ReadonlySet<string>): AppError {
  const listed = problems.slice(0, MAX_LISTED_PROBLEMS);
  const sentences = listed.map(({ field, rule }) => `${field} ${rule}`);
  if (problems.length > listed.length) sentences.push(`and ${problems.length - listed.length} more`);
  const message = `${sentences.join('; ')}. ${describeSettings(settings)}`;
  return new AppError('DESTINATION_REFUSED', message, listed);
}

/** @param settings commands that would allow the destination */
export function describeSettings(settings: Iterable<string>): string {
  return `An operator can allow it in the spending guard: ${[...settings].join(', ')}, or in the console under Account.`;
}

function checkAddress(
  accountId: string,
  { keyId, guard }: OwnedGuard,
  address: string,
  find: FindDestination,
): Refusal | null {
  const { allowed, refusesRisky } = guard;
  // An allowed prefix overrides the check for risky numbers.
  if (allowed.some((prefix) => prefix.startsWith('+') && address.startsWith(prefix.slice(1)))) return null;
  const { country, risk } = find(address);
  const owner = keyId === null ? 'the account' : 'the key';
  const command = () => `heliograph guard set ${accountId}${keyId === null ? '' : ` --key ${keyId}`}`;
  if (refusesRisky && risk) {
    return {
      rule: `must not be a number of ${RISK_NAMES[risk]}: ${address} is refused by the guard of ${owner} (risky numbers)`,
      setting: `${command()} --risky allow`,
    };
  }
  if (allowed.length === 0 || (country !== null && allowed.includes(country))) return null;
  const where = country === null ? `${address} belongs to no country` : `${address} is in ${country}`;
  return {
    rule: `must be in a country that the guard of ${owner} allows: ${where}, allowed: ${listAllowed(allowed)}`,
    setting: `${command()} --allow`,
  };
}

function listAllowed(allowed: readonly string[]): string {
  const listed = allowed.slice(0, MAX_LISTED_DESTINATIONS).join(', ');
  return allowed.length > MAX_LISTED_DESTINATIONS
    ? `${listed} and ${allowed.length - MAX_LISTED_DESTINATIONS} more`
    : listed;
}

const RISK_NAMES = {
  'premium rate': 'premium rate',
  'shared cost': 'shared cost',
  satellite: 'a satellite network',
  'international network': 'an international network',
} as const;
