import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { recordEvent } from '../../../accounts/audit/change.js';
import { toCsvFile } from '../../../features/person-export/csv.js';
import { countExportedRows, exportPerson, type PersonExport } from '../../../features/person-export/export.js';
import { newId } from '../../../platform/ids.js';
import { systemClock } from '../../../platform/system-clock.js';
import { cliActor } from '../../change.js';
import type { CliContext } from '../../context.js';
import { formatTable, print } from '../../output.js';
import { withStore } from '../../store.js';

export function addPersonCommands(program: Command, context: CliContext): void {
  const person = program.command('person').description('data about one person');

  person
    .command('export')
    .description('print everything that is stored about a person as JSON, or save it as CSV files')
    .argument('<person>', 'digits with country code, a WhatsApp user ID, or a contact ID')
    .option('--account <account-id>', 'only in this account; default: in all accounts')
    .option('--csv <folder>', 'save one CSV file per table in this new folder')
    .action(async (address: string, { account, csv }: { account?: string; csv?: string }, command: Command) => {
      const exported = await withStore(context, async (prisma, pool, lockedAccounts) => {
        const options = { prisma, pool, lockedAccounts, clock: systemClock };
        const result = await exportPerson(options, { address, accountId: account });
        // As for an erasure, the entry names neither the number nor its hash.
        const audit = { accountId: account ?? null, subject: newId(), action: 'person.export' };
        await recordEvent(
          prisma,
          { actor: cliActor(), accountId: null },
          { ...audit, after: { rows: countExportedRows(result) } },
        );
        return result;
      });
      if (csv === undefined) {
        context.write(`${JSON.stringify(exported, null, 2)}\n`);
        await context.waitForOutput?.();
        return;
      }
      const files = await saveCsvFiles(csv, exported);
      const table = formatTable(
        ['FILE', 'ROWS'],
        files.map(({ name, rows }) => [name, String(rows)]),
      );
      print(
        context,
        command,
        { folder: csv, files },
        files.length > 0 ? table : 'Nothing is stored about this person.',
      );
    });
}

/** Only the user who runs the command can read the files. */
async function saveCsvFiles(folder: string, { tables }: PersonExport): Promise<{ name: string; rows: number }[]> {
  await mkdir(folder, { mode: 0o700 });
  const filled = Object.entries(tables).filter(([, rows]) => rows.length > 0);
  return Promise.all(
    filled.map(async ([table, rows]) => {
      const name = `${table}.csv`;
      await writeFile(join(folder, name), toCsvFile(rows), { mode: 0o600 });
      return { name, rows: rows.length };
    }),
  );
}
