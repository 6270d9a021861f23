import type { AccountRef } from '../../../accounts/account-ref.js';
import { guardsOf, type OwnedGuard } from '../../../accounts/guard/guard.js';
import { destinations, type FindDestination } from '../../../carriers/numbers/destinations.js';
import { AppError, type FieldProblem } from '../../../platform/errors/app-error.js';
import type { Turns } from '../../../platform/turns.js';
import type { SendRequest } from '../../compose/send-request.js';

/** Recipients that a refusal tells; of more it tells how many they are. */
const MAX_TOLD = 10;

/** Countries and beginnings of numbers that a refusal tells as allowed. */
const MAX_ALLOWED_TOLD = 20;

/** Why an address gets no message: as a rule that follows the name of its field. */
export interface Refusal {
  rule: string;
  /** The command that sets what was in the way. */
  setting: string;
}

/** Why an address gets no message; null where it may. */
export type JudgeDestination = (address: string) => Refusal | null;

/** What judges the recipients of an account; null where all may be written to. */
export async function destinationJudge(account: AccountRef): Promise<JudgeDestination | null> {
  const guards = guardsOf(account).filter(({ guard }) => guard.refusesRisky || guard.allowed.length > 0);
  if (guards.length === 0) return null;
  const find = await destinations();
  return (address) => {
    for (const guard of guards) {
      const refusal = refuse(account.id, guard, address, find);
      if (refusal !== null) return refusal;
    }
    return null;
  };
}

/**
 * Refuses a send to whom its account or key may not write. Nothing was priced or written by then.
 * @param turns by which others are served meanwhile: thousands of numbers take a while
 * @throws {AppError} DESTINATION_REFUSED
 */
export async function checkDestinations({ account, recipients }: SendRequest, turns: Turns): Promise<void> {
  const judge = await destinationJudge(account);
  if (!judge) return;
  const problems: FieldProblem[] = [];
  const settings = new Set<string>();
  for (const refusal of await turns.map(recipients, ({ digits }) => judge(digits))) {
    if (refusal === null) continue;
    problems.push({ field: 'to', rule: refusal.rule });
    settings.add(refusal.setting);
  }
  if (problems.length > 0) throw destinationRefused(problems, settings);
}

/** The refusal, with where an operator allows what was refused. */
function destinationRefused(problems: readonly FieldProblem[], settings: ReadonlySet<string>): AppError {
  const told = problems.slice(0, MAX_TOLD);
  const sentences = told.map(({ field, rule }) => `${field} ${rule}`);
  if (problems.length > told.length) sentences.push(`and ${problems.length - told.length} more`);
  const message = `${sentences.join('; ')}. ${settingSentence(settings)}`;
  return new AppError('DESTINATION_REFUSED', message, told);
}

/** Where an operator allows what was refused. @param settings commands that set it */
export function settingSentence(settings: Iterable<string>): string {
  return `An operator allows it in the spending guard: ${[...settings].join(', ')}, or in the console under Account.`;
}

function refuse(
  accountId: string,
  { keyId, guard }: OwnedGuard,
  address: string,
  find: FindDestination,
): Refusal | null {
  const { allowed, refusesRisky } = guard;
  // Who allows the beginning of a number has thought of that number.
  if (allowed.some((each) => each.startsWith('+') && address.startsWith(each.slice(1)))) return null;
  const { country, risk } = find(address);
  const whose = keyId === null ? 'the account' : 'the key';
  const command = () => `heliograph guard set ${accountId}${keyId === null ? '' : ` --key ${keyId}`}`;
  if (refusesRisky && risk) {
    return {
      rule: `must not be a number of ${NAMES[risk]}: ${address} is refused by the guard of ${whose} (risky numbers)`,
      setting: `${command()} --risky allow`,
    };
  }
  if (allowed.length === 0 || (country !== null && allowed.includes(country))) return null;
  const where = country === null ? `${address} is of no country` : `${address} is in ${country}`;
  return {
    rule: `must be in a country that the guard of ${whose} allows: ${where}, allowed is ${allowedText(allowed)}`,
    setting: `${command()} --allow`,
  };
}

function allowedText(allowed: readonly string[]): string {
  const told = allowed.slice(0, MAX_ALLOWED_TOLD).join(', ');
  return allowed.length > MAX_ALLOWED_TOLD ? `${told} and ${allowed.length - MAX_ALLOWED_TOLD} more` : told;
}

const NAMES = {
  'premium rate': 'premium rate',
  'shared cost': 'shared cost',
  satellite: 'a satellite network',
  'international network': 'an international network',
} as const;
