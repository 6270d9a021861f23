import { basename, resolve } from 'node:path';
import type { Command } from 'commander';
import { pino } from 'pino';
import { type CopySummary, readBackup, restoreBackup, takeBackup } from '../../../features/backup/backup.js';
import { listBackups } from '../../../features/backup/backup-files.js';
import { verifyBackup } from '../../../features/backup/verify.js';
import { systemClock } from '../../../platform/system-clock.js';
import { loadConfig } from '../../../process/settings/config.js';
import type { CliContext } from '../../context.js';
import { type JsonObject, print } from '../../output.js';
import { TableProgress } from '../../progress.js';
import { atStore } from '../../store.js';
import { aboutKeysOfRestored } from './about-keys.js';
import { auditCopy } from './audit-copy.js';

/** `heliograph backup` and `heliograph restore`: the store of the settings as one file. */
export function addBackupCommands(program: Command, context: CliContext): void {
  const backup = program
    .command('backup')
    .description('save everything to a file, also while the server runs')
    .argument('<file>', 'is made for its owner only; must not be there yet')
    .action(async (file: string, _options: object, command: Command) => {
      const path = resolve(file);
      const { dataDir } = loadConfig(context.env);
      const saved = await withProgress(context, (onRows) =>
        atStore(context, { asItIs: true }, (url) => takeBackup({ url, dataDir, path, clock: systemClock, onRows })),
      );
      const size = `${(saved.bytes / 1_000_000).toLocaleString('en-US', { maximumSignificantDigits: 3 })} MB`;
      print(
        context,
        command,
        asJson(saved),
        `${path} holds ${describe(saved)} (${size}). It was read again and is whole.`,
      );
    });

  backup
    .command('verify')
    .description(
      'restore a backup into a temporary store, count, and remove it; the newest of BACKUP_FOLDER unless named',
    )
    .argument('[file]', 'that heliograph backup or a scheduled backup wrote')
    .option('--embedded', 'use an embedded PostgreSQL, not a temporary database beside that of DATABASE_URL')
    .action(async (file: string | undefined, options: { embedded?: boolean }, command: Command) => {
      const config = loadConfig(context.env);
      const path = file === undefined ? await newestOf(config.backupFolder) : resolve(file);
      const storeUrl = config.databaseDirectUrl ?? config.databaseUrl ?? null;
      const found = await withProgress(context, (onRows) =>
        verifyBackup({ path, log: pino({ level: 'silent' }), onRows, storeUrl, embeddedOnly: options.embedded }),
      );
      const { messages, postgres, unproven, ...copied } = found;
      const text =
        `${path} was restored into a temporary store on PostgreSQL ${postgres}, which is removed again: ${describe(copied)}. ` +
        `It holds ${messages.toLocaleString('en-US')} ${messages === 1 ? 'message' : 'messages'}, and the balance of every ` +
        `account is the sum of its ledger.${unproven ? `\nNot proven: ${unproven}` : ''}`;
      print(context, command, { ...asJson(copied), path, messages, postgres, unproven }, text);
    });

  program
    .command('restore')
    .description('fill an empty store with a backup; no server may use it meanwhile')
    .argument('<file>', 'that heliograph backup wrote')
    .option('--replace', 'delete everything that Heliograph keeps in the store before')
    .option('--cancel-unsent', 'cancel messages that no carrier had taken, without a refund; otherwise they are sent')
    .action(async (file: string, options: { replace?: boolean; cancelUnsent?: boolean }, command: Command) => {
      const { replace = false, cancelUnsent: withoutUnsent = false } = options;
      const path = resolve(file);
      const config = loadConfig(context.env);
      const { dataDir } = config;
      // Before anything is made: a damaged file leaves no empty store behind.
      const contents = await readBackup(path);
      const restored = await withProgress(context, (onRows) =>
        atStore(context, { asItIs: true, mayMake: true, alone: true, evenMoved: replace }, (url, log) => {
          const onFilled = auditCopy('store.restore', basename(path));
          return restoreBackup({ url, dataDir, path, contents, replace, withoutUnsent, log, onRows, onFilled });
        }),
      );
      const underWay = withoutUnsent ? aboutCanceled(restored.canceled) : aboutUnderWay(restored);
      const keys = aboutKeysOfRestored(config);
      const text = `The store holds ${describe(restored)}.\n${underWay}${keys ? `\n${keys.text}` : ''}`;
      print(context, command, { ...asJson(restored), secrets: keys?.files ?? {} }, text);
    });
}

/** @throws where there is none */
async function newestOf(folder: string | undefined): Promise<string> {
  if (folder === undefined) throw new Error('Name a file, or set BACKUP_FOLDER.');
  const newest = (await listBackups(resolve(folder))).at(-1);
  if (!newest) throw new Error(`There is no scheduled backup in ${resolve(folder)} (BACKUP_FOLDER).`);
  return newest;
}

/** Runs what copies tables, and shows how far it came. */
export async function withProgress<T>(
  context: CliContext,
  work: (onRows: (table: string, rows: number) => void) => Promise<T>,
): Promise<T> {
  const progress = new TableProgress(context);
  const result = await work((table, rows) => progress.show(table, rows));
  progress.end();
  return result;
}

/** What was copied, in words. */
export function describe({ rows, tables, takenAt, sums }: CopySummary): string {
  const warning =
    sums.unbalanced === '0'
      ? ''
      : `; ATTENTION: the balances of ${sums.unbalanced} accounts are not the sums of their ledgers`;
  return (
    `${rows.toLocaleString('en-US')} rows of ${tables} tables as they were at ${takenAt}; ` +
    `balances ${inUnits(sums.balanceMicros)}, ledgers ${inUnits(sums.ledgerMicros)}${warning}`
  );
}

/** What a server that starts on a copy will do. */
export function aboutUnderWay({ sums: { underWay } }: CopySummary): string {
  if (underWay === '0') return 'No message in it is under way.';
  const what = underWay === '1' ? '1 message in it is' : `${underWay} messages in it are`;
  return `${what} under way: a server that starts on it sends what its carrier did not take yet.`;
}

function aboutCanceled(canceled: number): string {
  const what = canceled === 1 ? '1 message' : `${canceled.toLocaleString('en-US')} messages`;
  return `${what} that no carrier had taken ${canceled === 1 ? 'was' : 'were'} canceled, without a refund.`;
}

/** A result as scripts read it. */
export function asJson(copied: CopySummary): JsonObject {
  return { ...copied, sums: { ...copied.sums } };
}

function inUnits(micros: string): string {
  return (Number(micros) / 1_000_000).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 6 });
}
