import type { Command } from 'commander';
import { countTraces, type Erasure, erasePerson } from '../../../features/erasure/erase.js';
import { newId } from '../../../platform/ids.js';
import { systemClock } from '../../../platform/system-clock.js';
import { changeInStages } from '../../change.js';
import type { CliContext } from '../../context.js';
import { formatTable, print } from '../../output.js';
import { TableProgress } from '../../progress.js';
import { withStore } from '../../store.js';

interface EraseOptions {
  account?: string;
  dryRun: boolean;
  yes: boolean;
  forgetOptOut: boolean;
}

/** How long to wait for messages that are being sent, in milliseconds. Their lease is shorter. */
const WAIT_MS = 45_000;

export function addEraseCommand(program: Command, context: CliContext): void {
  program
    .command('erase')
    .description('erase a person: phone number, IDs and message texts; charges stay')
    .argument('<person>', 'digits with country code, a WhatsApp user ID, or a contact ID')
    .option('--account <account-id>', 'only in this account; default: in all accounts')
    .option('--forget-opt-out', 'also delete opt-outs, so that the number can receive messages again', false)
    .option('--dry-run', 'count what would be erased, without changing anything', false)
    .option('--yes', 'confirm; only a backup can undo it', false)
    .action(async (address: string, options: EraseOptions, command: Command) => {
      const ref = { address, accountId: options.account, forgetsOptOuts: options.forgetOptOut };
      if (options.dryRun || !options.yes) {
        const dryRunResult = await withStore(context, (prisma, pool, lockedAccounts) =>
          countTraces({ prisma, pool, lockedAccounts, clock: systemClock }, ref),
        );
        print(context, command, toJson(dryRunResult, { erased: false }), describeErasure(dryRunResult, false));
        if (!options.dryRun) throw new Error('Nothing was erased. Add --yes to erase it for good.');
        return;
      }
      const id = newId();
      const progress = new TableProgress(context);
      const erasure = await withStore(context, async (prisma, pool, lockedAccounts) => {
        const stores = { prisma, pool, lockedAccounts, clock: systemClock };
        const onRows = (kind: string, rows: number) => progress.show(kind, rows);
        const auditSubject = { accountId: options.account ?? null, subject: id };
        const after = { forgetsOptOuts: options.forgetOptOut };
        return await changeInStages(
          { prisma },
          {
            begin: async () => ({ result: null, audit: { ...auditSubject, action: 'person.eraseStart', after } }),
            work: () => erasePerson(stores, ref, { waitMs: WAIT_MS, onRows }).finally(() => progress.end()),
            end: ({ rows, waiting: canceled, optOutsKept }) => {
              return { ...auditSubject, action: 'person.erase', after: { rows, canceled, optOutsKept } };
            },
          },
        );
      });
      print(
        context,
        command,
        toJson(erasure, { erased: true, id }),
        `${describeErasure(erasure, true)}\nThe ID of this erasure is ${id}.`,
      );
    });
}

function toJson({ rows, waiting, optOutsKept }: Erasure, result: { erased: boolean; id?: string }) {
  return { ...result, rows, [result.erased ? 'canceled' : 'waiting']: waiting, optOutsKept };
}

function describeErasure({ rows, waiting, optOutsKept }: Erasure, isDone: boolean): string {
  const counts = Object.entries(rows).map(([kind, count]) => [kind, String(count)]);
  const heading = isDone ? 'ERASED' : 'FOUND';
  const lines = [
    counts.length === 0 ? 'There is nothing to erase.' : formatTable([heading, 'ROWS'], counts),
    waiting > 0 &&
      (isDone
        ? `Canceled and refunded ${waiting} unsent message(s).`
        : `${waiting} unsent message(s) would be canceled.`),
    optOutsKept > 0 && `${optOutsKept} opt-out(s) of the number stay in effect; --forget-opt-out deletes them.`,
  ];
  return lines.filter((line) => line !== false).join('\n');
}
