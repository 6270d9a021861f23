import { type Command, InvalidArgumentError, Option } from 'commander';
import { extractDigits } from '../../../carriers/numbers/written-numbers.js';
import { readSimulatedCodes } from '../../../features/verifications/simulated-codes.js';
import { CodeSeal } from '../../../messages/sign-in-codes/code-seal.js';
import { systemClock } from '../../../platform/system-clock.js';
import { loadConfig } from '../../../process/settings/config.js';
import { verificationKeys } from '../../../process/settings/report-keys.js';
import type { CliContext } from '../../context.js';
import { ACCOUNT_FILTER, limitOption } from '../../options.js';
import { formatTable, type Json, print } from '../../output.js';
import { withStore } from '../../store.js';

interface CodesOptions {
  to?: string;
  account?: string;
  limit: number;
}

export function addSimulatorCommands(program: Command, context: CliContext): void {
  const simulator = program
    .command('simulator')
    .description('messages of the built-in simulator, which never reach a phone');
  simulator
    .command('codes')
    .description('list valid sign-in codes that only simulators received, newest first')
    .addOption(new Option('--to <number>', 'only to this recipient').argParser(parseNumber))
    .option(...ACCOUNT_FILTER)
    .addOption(limitOption(20))
    .action(async ({ to, account, limit }: CodesOptions, command: Command) => {
      const codes = new CodeSeal(verificationKeys(loadConfig(context.env)));
      const filter = { recipient: to ?? null, accountId: account ?? null, limit, now: systemClock.now() };
      const simulatedCodes = await withStore(context, (_prisma, pool) => readSimulatedCodes(pool, codes, filter));
      const cells = simulatedCodes.map(({ recipient, code, expiresAt, text }) => [
        recipient,
        code ?? '-',
        expiresAt,
        JSON.stringify(text),
      ]);
      const readable =
        simulatedCodes.length === 0
          ? 'There are no valid codes from simulators.'
          : formatTable(['TO', 'CODE', 'VALID UNTIL', 'TEXT'], cells);
      print(context, command, simulatedCodes as object[] as Json[], readable);
    });
}

function parseNumber(text: string): string {
  const digits = extractDigits(text);
  if (digits === null) throw new InvalidArgumentError('It must be a phone number with country code.');
  return digits;
}
