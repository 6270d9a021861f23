import { type Command, InvalidArgumentError, Option } from 'commander';
import { digitsOfWritten } from '../../../carriers/numbers/written-numbers.js';
import { readSimulatedCodes } from '../../../features/verifications/simulated-codes.js';
import { CodeSeal } from '../../../messages/sign-in-codes/code-seal.js';
import { systemClock } from '../../../platform/system-clock.js';
import { loadConfig } from '../../../process/settings/config.js';
import { verificationKeys } from '../../../process/settings/report-keys.js';
import type { CliContext } from '../../context.js';
import { limitOption, OF_ACCOUNT } from '../../options.js';
import { type Json, print, table } from '../../output.js';
import { withStore } from '../../store.js';

interface CodesOptions {
  to?: string;
  account?: string;
  limit: number;
}

/** `heliograph simulator …`: what telephones would show, were there any. */
export function addSimulatorCommands(program: Command, context: CliContext): void {
  const simulator = program
    .command('simulator')
    .description('what the built-in carrier took, which reaches no telephone');
  simulator
    .command('codes')
    .description('sign-in codes that live and that simulators alone were given, the newest first')
    .addOption(new Option('--to <number>', 'of one recipient').argParser(number))
    .option(...OF_ACCOUNT)
    .addOption(limitOption(20))
    .action(async ({ to, account, limit }: CodesOptions, command: Command) => {
      const codes = new CodeSeal(verificationKeys(loadConfig(context.env)));
      const filter = { recipient: to ?? null, accountId: account ?? null, limit, now: systemClock.now() };
      const found = await withStore(context, (_prisma, pool) => readSimulatedCodes(pool, codes, filter));
      const cells = found.map(({ recipient, code, expiresAt, text }) => [
        recipient,
        code ?? '-',
        expiresAt,
        JSON.stringify(text),
      ]);
      const readable =
        found.length === 0
          ? 'No simulator was given a code that lives.'
          : table(['TO', 'CODE', 'VALID UNTIL', 'TEXT'], cells);
      print(context, command, found as object[] as Json[], readable);
    });
}

function number(text: string): string {
  const digits = digitsOfWritten(text);
  if (digits === null) throw new InvalidArgumentError('It must be a phone number with its country code.');
  return digits;
}
