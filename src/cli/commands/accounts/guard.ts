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

interface KeyOption {
  key?: string;
}

interface SetOptions extends KeyOption {
  allow?: string[];
  allowAny?: boolean;
  risky?: 'refuse' | 'allow';
  limit: string[];
  noLimits?: boolean;
  watch?: 'on' | 'off';
  holdMinutes?: string;
  safe?: string[];
}

const KEY_OPTION = ['--key <id>', 'one key or app of the account, instead of the account itself'] as const;

export function addGuardCommands(program: Command, context: CliContext): void {
  const guard = program.command('guard').description('limits on where and how much accounts and keys may send');

  guard
    .command('show')
    .description('show the limits of an account and its keys, with their current usage')
    .argument('<account-id>')
    .action(async (accountId: string, _options: object, command: Command) => {
      const {
        guard: accountGuard,
        keys: allKeys,
        holds,
      } = await withStore(context, (prisma, pool) => viewGuards({ prisma, pool }, accountId, systemClock.now()));
      const output = {
        accountId,
        guard: accountGuard,
        keys: allKeys.filter((key) => key.guard !== null),
        holds: holds.map(toHoldRecord),
      };
      const lines = [
        ...describeGuard('The account', output.guard),
        ...output.holds.map(({ id, prefix, reason, until }) => `On hold until ${until}: ${prefix} (${reason}), ${id}`),
        ...output.keys.flatMap((key) => describeGuard(`The key ${key.id} (${key.name})`, key.guard)),
      ];
      print(context, command, output as unknown as Json, lines.join('\n'));
    });

  guard
    .command('set')
    .description('change the limits of an account or one of its keys; omitted options stay unchanged')
    .argument('<account-id>')
    .option(...KEY_OPTION)
    .option('--allow <place...>', 'allow only these countries (DE) and number prefixes (+4915)')
    .addOption(new Option('--allow-any', 'allow any country').conflicts('allow'))
    .addOption(
      new Option('--risky <what>', 'premium-rate, shared-cost, satellite and network numbers').choices([
        'refuse',
        'allow',
      ]),
    )
    .option(
      '--limit <limit>',
      'such as "1000 messages per day", "25.00 money per month" or "5 messages per hour per recipient"; replaces all limits',
      collect,
      [],
    )
    .addOption(new Option('--no-limits', 'remove all limits').conflicts('limit'))
    .addOption(
      new Option('--watch <what>', 'put numbers on hold when traffic looks like SMS pumping').choices(['on', 'off']),
    )
    .option('--hold-minutes <number>', `duration of a hold (default: ${DEFAULT_HOLD_MINUTES})`)
    .option('--safe <beginning...>', 'number prefixes that are never put on hold; replaces the list')
    .action(async (accountId: string, options: SetOptions & { limits: boolean }, command: Command) => {
      const { allow, allowAny, risky, limit, limits } = options;
      const result = await applyChange(accountId, options, (previousGuard) => ({
        allowed: allowAny ? [] : (allow ?? previousGuard?.allowed ?? OPEN_GUARD.allowed),
        refusesRisky:
          risky === undefined ? (previousGuard?.refusesRisky ?? OPEN_GUARD.refusesRisky) : risky === 'refuse',
        limits: limits && limit.length === 0 ? (previousGuard?.limits ?? OPEN_GUARD.limits) : limit.map(parseLimitText),
        watch: readWatch(options, previousGuard?.watch ?? null),
      }));
      print(context, command, result as unknown as Json, describeGuard(formatOwner(options), result.guard).join('\n'));
    });

  guard
    .command('off')
    .description('remove the guard of an account or one of its keys')
    .argument('<account-id>')
    .option(...KEY_OPTION)
    .action(async (accountId: string, options: KeyOption, command: Command) => {
      const result = await applyChange(accountId, options, () => null);
      print(context, command, result as unknown as Json, describeGuard(formatOwner(options), null).join('\n'));
    });

  guard
    .command('release')
    .description('release numbers on hold; they are not put on hold again for an hour')
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
      print(context, command, { id, ...released, until }, `Messages to ${released.prefix} are sent again.`);
    });

  async function applyChange(
    accountId: string,
    { key }: KeyOption,
    createGuard: (previousGuard: GuardInput | null) => GuardInput | null,
  ): Promise<{ accountId: string; keyId: string | null; guard: GuardInput | null }> {
    const keyId = key ?? null;
    const { guard: newGuard } = await withChange(
      context,
      (prisma) => changeGuard(prisma, { accountId, keyId }, createGuard),
      ({ audit }) => audit,
    );
    return { accountId, keyId, guard: newGuard };
  }
}

function readWatch({ watch, holdMinutes, safe }: SetOptions, previousWatch: GuardInput['watch']): GuardInput['watch'] {
  const isOn =
    watch === undefined ? previousWatch !== null || holdMinutes !== undefined || safe !== undefined : watch === 'on';
  if (!isOn) return null;
  return {
    holdMinutes: Number(holdMinutes ?? previousWatch?.holdMinutes ?? DEFAULT_HOLD_MINUTES),
    safe: safe ?? previousWatch?.safe ?? [],
  };
}

const formatOwner = ({ key }: KeyOption): string => (key === undefined ? 'The account' : `The key ${key}`);

function describeGuard(owner: string, guard: GuardView | GuardInput | null): string[] {
  if (!guard) return [`${owner} has no limits.`];
  const { allowed, refusesRisky, limits, watch } = guard;
  return [
    `${owner} may send to ${allowed.length === 0 ? 'any country' : allowed.join(', ')}.`,
    `  Risky numbers are ${refusesRisky ? 'refused' : 'allowed'}.`,
    ...limits.map((limit) => {
      const usage = 'used' in limit && limit.used !== null ? `, ${limit.used} used` : '';
      return `  At most ${formatLimit(limit)}${usage}.`;
    }),
    ...(watch
      ? [
          `  Numbers with suspected SMS pumping are put on hold for ${watch.holdMinutes} minutes${formatExceptions(watch.safe)}.`,
        ]
      : []),
  ];
}

const formatExceptions = (safe: readonly string[]): string => (safe.length === 0 ? '' : `, except ${safe.join(', ')}`);
