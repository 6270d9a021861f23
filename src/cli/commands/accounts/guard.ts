import { type Command, Option } from 'commander';
import {
  changeGuard,
  DEFAULT_HOLD_MINUTES,
  formatLimit,
  type GuardInput,
  OPEN_GUARD,
  parseLimitText,
} from '../../../features/spending/guards.js';
import { releaseHold, toHoldRecord } from '../../../features/spending/holds.js';
import { type GuardView, viewGuards } from '../../../features/spending/view-guards.js';
import { systemClock } from '../../../platform/system-clock.js';
import { cliActor, withChange } from '../../change.js';
import type { CliContext } from '../../context.js';
import { collect } from '../../options.js';
import { type Json, print } from '../../output.js';
import { withStore } from '../../store.js';

interface OfKey {
  key?: string;
}

interface SetOptions extends OfKey {
  allow?: string[];
  allowAny?: boolean;
  risky?: 'refuse' | 'allow';
  limit: string[];
  noLimits?: boolean;
  watch?: 'on' | 'off';
  holdMinutes?: string;
  safe?: string[];
}

const KEY = ['--key <id>', 'of this key or app of the account alone'] as const;

/** `heliograph guard …`: to where an account or a key may send, and how much. */
export function addGuardCommands(program: Command, context: CliContext): void {
  const guard = program.command('guard').description('to where accounts and keys may send, and how much');

  guard
    .command('show')
    .description('what is set of an account and its keys, and how much of it is used')
    .argument('<account-id>')
    .action(async (accountId: string, _options: object, command: Command) => {
      const {
        guard: own,
        keys: all,
        holds,
      } = await withStore(context, (prisma, pool) => viewGuards({ prisma, pool }, accountId, systemClock.now()));
      const shown = {
        accountId,
        guard: own,
        keys: all.filter((key) => key.guard !== null),
        holds: holds.map(toHoldRecord),
      };
      const lines = [
        ...linesOf('The account', shown.guard),
        ...shown.holds.map(({ id, prefix, reason, until }) => `Held until ${until}: ${prefix} (${reason}), ${id}`),
        ...shown.keys.flatMap((key) => linesOf(`The key ${key.id} (${key.name})`, key.guard)),
      ];
      print(context, command, shown as unknown as Json, lines.join('\n'));
    });

  guard
    .command('set')
    .description('set where an account or one of its keys may send and how much; what is left out stays')
    .argument('<account-id>')
    .option(...KEY)
    .option('--allow <place...>', 'countries (DE) and beginnings of numbers (+4915), and no others')
    .addOption(new Option('--allow-any', 'any country again').conflicts('allow'))
    .addOption(
      new Option('--risky <what>', 'numbers at premium rate or shared cost, of satellites and networks').choices([
        'refuse',
        'allow',
      ]),
    )
    .option(
      '--limit <limit>',
      'such as "1000 messages per day", "25.00 money per month" or "5 messages per hour per recipient"; all that there are to be',
      collect,
      [],
    )
    .addOption(new Option('--no-limits', 'none any more').conflicts('limit'))
    .addOption(new Option('--watch <what>', 'hold numbers for what looks like pumping').choices(['on', 'off']))
    .option('--hold-minutes <number>', `for how long; ${DEFAULT_HOLD_MINUTES} unless told`)
    .option('--safe <beginning...>', 'beginnings of numbers that are never held; all that there are to be')
    .action(async (accountId: string, options: SetOptions & { limits: boolean }, command: Command) => {
      const { allow, allowAny, risky, limit, limits } = options;
      const made = await change(accountId, options, (was) => ({
        allowed: allowAny ? [] : (allow ?? was?.allowed ?? OPEN_GUARD.allowed),
        refusesRisky: risky === undefined ? (was?.refusesRisky ?? OPEN_GUARD.refusesRisky) : risky === 'refuse',
        limits: limits && limit.length === 0 ? (was?.limits ?? OPEN_GUARD.limits) : limit.map(parseLimitText),
        watch: watchFrom(options, was?.watch ?? null),
      }));
      print(context, command, made as unknown as Json, linesOf(nameOf(options), made.guard).join('\n'));
    });

  guard
    .command('off')
    .description('let an account, or one of its keys, send anywhere again, as much as it can pay for')
    .argument('<account-id>')
    .option(...KEY)
    .action(async (accountId: string, options: OfKey, command: Command) => {
      const made = await change(accountId, options, () => null);
      print(context, command, made as unknown as Json, linesOf(nameOf(options), null).join('\n'));
    });

  guard
    .command('release')
    .description('let numbers that are held be sent to again, for an hour whatever comes')
    .argument('<hold-id>')
    .action(async (id: string, _options: object, command: Command) => {
      const released = await withChange(
        context,
        (prisma) => releaseHold(prisma, { id, accountId: null }, cliActor().name, systemClock.now()),
        ({ accountId, prefix, reason }) => ({
          action: 'guard.release',
          accountId,
          subject: id,
          after: { prefix, reason },
        }),
      );
      const until = released.until.toISOString();
      print(context, command, { id, ...released, until }, `Messages to ${released.prefix} go again.`);
    });

  /** Changes a guard, with its line of the audit log. */
  async function change(
    accountId: string,
    { key }: OfKey,
    next: (was: GuardInput | null) => GuardInput | null,
  ): Promise<{ accountId: string; keyId: string | null; guard: GuardInput | null }> {
    const keyId = key ?? null;
    const { guard: now } = await withChange(
      context,
      (prisma) => changeGuard(prisma, { accountId, keyId }, next),
      ({ told }) => told,
    );
    return { accountId, keyId, guard: now };
  }
}

/** How an account is to be watched. */
function watchFrom({ watch, holdMinutes, safe }: SetOptions, was: GuardInput['watch']): GuardInput['watch'] {
  const isOn = watch === undefined ? was !== null || holdMinutes !== undefined || safe !== undefined : watch === 'on';
  if (!isOn) return null;
  return {
    holdMinutes: Number(holdMinutes ?? was?.holdMinutes ?? DEFAULT_HOLD_MINUTES),
    safe: safe ?? was?.safe ?? [],
  };
}

const nameOf = ({ key }: OfKey): string => (key === undefined ? 'The account' : `The key ${key}`);

function linesOf(whose: string, guard: GuardView | GuardInput | null): string[] {
  if (!guard) return [`${whose} may send anywhere, as much as it can pay for.`];
  const { allowed, refusesRisky, limits, watch } = guard;
  return [
    `${whose} may send to ${allowed.length === 0 ? 'any country' : allowed.join(', ')}.`,
    `  Risky numbers are ${refusesRisky ? 'refused' : 'allowed'}.`,
    ...limits.map((limit) => {
      const used = 'used' in limit && limit.used !== null ? `, ${limit.used} used` : '';
      return `  At most ${formatLimit(limit)}${used}.`;
    }),
    ...(watch ? [`  What looks like pumping is held for ${watch.holdMinutes} minutes${safeText(watch.safe)}.`] : []),
  ];
}

const safeText = (safe: readonly string[]): string => (safe.length === 0 ? '' : `, but for ${safe.join(', ')}`);
