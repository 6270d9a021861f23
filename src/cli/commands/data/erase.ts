import type { Command } from 'commander';
import { countTraces, type Erasure, erasePerson } from '../../../features/erasure/erase.js';
import { newId } from '../../../platform/ids.js';
import { systemClock } from '../../../platform/system-clock.js';
import { changeInStages } from '../../change.js';
import type { CliContext } from '../../context.js';
import { print, table } from '../../output.js';
import { TableProgress } from '../../progress.js';
import { withStore } from '../../store.js';

interface EraseOptions {
  account?: string;
  dryRun: boolean;
  yes: boolean;
  forgetOptOut: boolean;
}

/** Longer than a worker owns a message that it is handing over. */
const WAIT_MS = 45_000;

/** `heliograph erase PERSON`: everything that tells of a person. */
export function addEraseCommand(program: Command, context: CliContext): void {
  program
    .command('erase')
    .description('erase a person: the number and ids, and what was written to and from them; what was charged stays')
    .argument('<person>', 'digits with country code; or the user id of WhatsApp, or the id of a contact')
    .option('--account <account-id>', 'in one account only; without it, in all')
    .option('--forget-opt-out', 'delete opt-outs of the number too: it may then get messages again', false)
    .option('--dry-run', 'count what would be erased, and change nothing', false)
    .option('--yes', 'do it; there is no way back but a backup', false)
    .action(async (address: string, options: EraseOptions, command: Command) => {
      const ref = { address, accountId: options.account, forgetsOptOuts: options.forgetOptOut };
      if (options.dryRun || !options.yes) {
        const found = await withStore(context, (prisma, pool, held) =>
          countTraces({ prisma, pool, held, clock: systemClock }, ref),
        );
        print(context, command, asJson(found, { erased: false }), describe(found, false));
        if (!options.dryRun) throw new Error('Nothing was erased. Add --yes to erase it, for good.');
        return;
      }
      const id = newId();
      const progress = new TableProgress(context);
      const erased = await withStore(context, async (prisma, pool, held) => {
        const erasing = { prisma, pool, held, clock: systemClock };
        const onRows = (kind: string, rows: number) => progress.show(kind, rows);
        const about = { accountId: options.account ?? null, subject: id };
        const after = { forgetsOptOuts: options.forgetOptOut };
        return await changeInStages(
          { prisma },
          {
            begin: async () => ({ result: null, told: { ...about, action: 'person.eraseStart', after } }),
            work: () => erasePerson(erasing, ref, { waitMs: WAIT_MS, onRows }).finally(() => progress.end()),
            end: ({ rows, waiting: canceled, optOutsKept }) => {
              return { ...about, action: 'person.erase', after: { rows, canceled, optOutsKept } };
            },
          },
        );
      });
      print(
        context,
        command,
        asJson(erased, { erased: true, id }),
        `${describe(erased, true)}\nThis is erasure ${id}.`,
      );
    });
}

function asJson({ rows, waiting, optOutsKept }: Erasure, more: { erased: boolean; id?: string }) {
  return { ...more, rows, [more.erased ? 'canceled' : 'waiting']: waiting, optOutsKept };
}

function describe({ rows, waiting, optOutsKept }: Erasure, isDone: boolean): string {
  const counts = Object.entries(rows).map(([kind, count]) => [kind, String(count)]);
  const heading = isDone ? 'ERASED' : 'FOUND';
  const lines = [
    counts.length === 0 ? `Nothing ${isDone ? 'was' : 'is'} left of the number.` : table([heading, 'ROWS'], counts),
    waiting > 0 &&
      (isDone
        ? `${waiting} waiting to be sent: canceled and refunded.`
        : `${waiting} waiting to be sent would be canceled.`),
    optOutsKept > 0 && `${optOutsKept} opt-out(s) of the number bind on; --forget-opt-out deletes them.`,
  ];
  return lines.filter((line) => line !== false).join('\n');
}
