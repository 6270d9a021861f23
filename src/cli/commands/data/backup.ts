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
import { keyAdviceForRestore } from './about-keys.js';
import { auditCopy } from './audit-copy.js';

export function addBackupCommands(program: Command, context: CliContext): void {
  const backup = program
    .command('backup')
    .description('write all data to a file; the server may be running')
    .argument('<file>', 'the new file; must not exist, and will be readable only by its owner')
    .action(async (file: string, _options: object, command: Command) => {
      const path = resolve(file);
      const { dataDir } = loadConfig(context.env);
      const summary = await withProgress(context, (onRows) =>
        atStore(context, { skipsMigrations: true }, (url) =>
          takeBackup({ url, dataDir, path, clock: systemClock, onRows }),
        ),
      );
      const size = `${(summary.bytes / 1_000_000).toLocaleString('en-US', { maximumSignificantDigits: 3 })} MB`;
      print(
        context,
        command,
        toJson(summary),
        `${path} contains ${describeCopy(summary)} (${size}). It was read back and is complete.`,
      );
    });

  backup
    .command('verify')
    .description('verify a backup by restoring it into a temporary store; default: the newest in BACKUP_FOLDER')
    .argument('[file]', 'a file from heliograph backup or a scheduled backup')
    .option('--embedded', 'use an embedded PostgreSQL instead of a temporary database on the server of DATABASE_URL')
    .action(async (file: string | undefined, options: { embedded?: boolean }, command: Command) => {
      const config = loadConfig(context.env);
      const path = file === undefined ? await findNewestBackup(config.backupFolder) : resolve(file);
      const storeUrl = config.databaseDirectUrl ?? config.databaseUrl ?? null;
      const verification = await withProgress(context, (onRows) =>
        verifyBackup({ path, log: pino({ level: 'silent' }), onRows, storeUrl, embeddedOnly: options.embedded }),
      );
      const { messages, postgres, unproven, ...copySummary } = verification;
      const text =
        `${path} was restored into a temporary store on PostgreSQL ${postgres}, which was removed afterwards: ${describeCopy(copySummary)}. ` +
        `It contains ${messages.toLocaleString('en-US')} ${messages === 1 ? 'message' : 'messages'}, and the balance of every ` +
        `account equals the sum of its ledger.${unproven ? `\nNot verified: ${unproven}` : ''}`;
      print(context, command, { ...toJson(copySummary), path, messages, postgres, unproven }, text);
    });

  program
    .command('restore')
    .description('restore a backup into an empty store that no server uses')
    .argument('<file>', 'a file from heliograph backup')
    .option('--replace', 'delete all Heliograph data in the store first')
    .option(
      '--cancel-unsent',
      'cancel messages that no carrier had accepted, without a refund; otherwise they are sent',
    )
    .action(async (file: string, options: { replace?: boolean; cancelUnsent?: boolean }, command: Command) => {
      const { replace = false, cancelUnsent: withoutUnsent = false } = options;
      const path = resolve(file);
      const config = loadConfig(context.env);
      const { dataDir } = config;
      // The backup is read before the store is created, so that a damaged file does not leave an empty store behind.
      const contents = await readBackup(path);
      const restoration = await withProgress(context, (onRows) =>
        atStore(
          context,
          { skipsMigrations: true, mayCreate: true, isExclusive: true, acceptsMoved: replace },
          (url, log) => {
            const onFilled = auditCopy('store.restore', basename(path));
            return restoreBackup({ url, dataDir, path, contents, replace, withoutUnsent, log, onRows, onFilled });
          },
        ),
      );
      const unsentText = withoutUnsent ? describeCanceled(restoration.canceled) : describeUnsent(restoration);
      const keys = keyAdviceForRestore(config);
      const text = `The store contains ${describeCopy(restoration)}.\n${unsentText}${keys ? `\n${keys.text}` : ''}`;
      print(context, command, { ...toJson(restoration), secrets: keys?.files ?? {} }, text);
    });
}

async function findNewestBackup(folder: string | undefined): Promise<string> {
  if (folder === undefined) throw new Error('Specify a file, or set BACKUP_FOLDER.');
  const newest = (await listBackups(resolve(folder))).at(-1);
  if (!newest) throw new Error(`There is no scheduled backup in ${resolve(folder)} (BACKUP_FOLDER).`);
  return newest;
}

export async function withProgress<T>(
  context: CliContext,
  work: (onRows: (table: string, rows: number) => void) => Promise<T>,
): Promise<T> {
  const progress = new TableProgress(context);
  const result = await work((table, rows) => progress.show(table, rows));
  progress.end();
  return result;
}

export function describeCopy({ rows, tables, takenAt, sums }: CopySummary): string {
  const warning =
    sums.unbalanced === '0'
      ? ''
      : `; ATTENTION: the balances of ${sums.unbalanced} accounts differ from the sums of their ledgers`;
  return (
    `${rows.toLocaleString('en-US')} rows of ${tables} tables as of ${takenAt}; ` +
    `balances ${formatMicros(sums.balanceMicros)}, ledgers ${formatMicros(sums.ledgerMicros)}${warning}`
  );
}

export function describeUnsent({ sums: { underWay } }: CopySummary): string {
  if (underWay === '0') return 'It contains no unsent messages.';
  const count = underWay === '1' ? '1 unsent message' : `${underWay} unsent messages`;
  return `It contains ${count}. A server that starts on it sends those that no carrier has accepted.`;
}

function describeCanceled(canceled: number): string {
  const count = canceled === 1 ? '1 message' : `${canceled.toLocaleString('en-US')} messages`;
  return `Canceled ${count} that no carrier had accepted, without a refund.`;
}

export function toJson(copied: CopySummary): JsonObject {
  return { ...copied, sums: { ...copied.sums } };
}

function formatMicros(micros: string): string {
  return (Number(micros) / 1_000_000).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 6 });
}
