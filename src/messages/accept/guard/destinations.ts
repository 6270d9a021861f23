import type { AccountRef } from '../../../accounts/account-ref.js';
import { guardsOf, type OwnedGuard } from '../../../accounts/guard/guard.js';
import { destinations, type FindDestination } from '../../../carriers/numbers/destinations.js';
import { AppError, type FieldProblem } from '../../../platform/errors/app-error.js';
import type { SendRequest } from '../../compose/send-request.js';

/** Recipients that a refusal tells; of more it tells how many they are. */
const MAX_TOLD = 10;

/** Why an address gets no message: as a rule that follows the name of its field; null where it may. */
export type JudgeDestination = (address: string) => string | null;

/** What judges the recipients of an account; null where all may be written to. */
export async function destinationJudge(account: AccountRef): Promise<JudgeDestination | null> {
  const guards = guardsOf(account).filter(({ guard }) => guard.refusesRisky || guard.allowed.length > 0);
  if (guards.length === 0) return null;
  const find = await destinations();
  return (address) => {
    for (const guard of guards) {
      const rule = refuse(guard, address, find);
      if (rule !== null) return rule;
    }
    return null;
  };
}

/**
 * Refuses a send to whom its account or key may not write. Nothing was priced or written by then.
 * @throws {AppError} DESTINATION_REFUSED
 */
export async function checkDestinations({ account, recipients }: SendRequest): Promise<void> {
  const judge = await destinationJudge(account);
  if (!judge) return;
  const problems: FieldProblem[] = [];
  for (const { digits } of recipients) {
    const rule = judge(digits);
    if (rule !== null) problems.push({ field: 'to', rule });
  }
  if (problems.length > 0) throw destinationRefused(problems);
}

function destinationRefused(problems: readonly FieldProblem[]): AppError {
  const told = problems.slice(0, MAX_TOLD);
  const sentences = told.map(({ field, rule }) => `${field} ${rule}`);
  if (problems.length > told.length) sentences.push(`and ${problems.length - told.length} more`);
  return new AppError('DESTINATION_REFUSED', sentences.join('; '), told);
}

function refuse({ keyId, guard }: OwnedGuard, address: string, find: FindDestination): string | null {
  const { allowed, refusesRisky } = guard;
  // Who allows the beginning of a number has thought of that number.
  if (allowed.some((each) => each.startsWith('+') && address.startsWith(each.slice(1)))) return null;
  const { country, risk } = find(address);
  const whose = keyId === null ? 'the account' : 'the key';
  if (refusesRisky && risk) {
    return `must not be a number of ${NAMES[risk]}: ${address} is refused by the guard of ${whose} (risky numbers)`;
  }
  if (allowed.length === 0 || (country !== null && allowed.includes(country))) return null;
  const where = country === null ? `${address} is of no country` : `${address} is in ${country}`;
  return `must be in a country that the guard of ${whose} allows: ${where}, allowed is ${allowed.join(', ')}`;
}

const NAMES = {
  'premium rate': 'premium rate',
  'shared cost': 'shared cost',
  satellite: 'a satellite network',
  'international network': 'an international network',
} as const;
