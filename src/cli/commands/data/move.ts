import type { Command } from 'commander';
import { moveStore } from '../../../features/backup/move.js';
import { describeStoreUrl } from '../../../platform/store/redact-url.js';
import { systemClock } from '../../../platform/system-clock.js';
import { loadConfig } from '../../../process/settings/config.js';
import { FORMAT_RULES, isPostgresUrl } from '../../../process/settings/setting-formats.js';
import type { CliContext } from '../../context.js';
import { print } from '../../output.js';
import { atStore } from '../../store.js';
import { keyAdviceForMove } from './about-keys.js';
import { auditCopy } from './audit-copy.js';
import { describeCopy, describeUnsent, toJson, withProgress } from './backup.js';

export function addMoveCommand(program: Command, context: CliContext): void {
  program
    .command('move')
    .description('copy the store to another, empty PostgreSQL database and compare both; no server may be running')
    .requiredOption('--to <database-url>', 'target, e.g. postgresql://user:password@host:5432/database')
    .action(async ({ to }: { to: string }, command: Command) => {
      // The driver would accept any text, and might connect to a database that the operator did not mean.
      if (!isPostgresUrl(to)) throw new Error(`--to ${FORMAT_RULES['postgres-url']}`);
      const config = loadConfig(context.env);
      const { databaseUrl, dataDir } = config;
      const target = describeStoreUrl(to);
      const source = databaseUrl ? describeStoreUrl(databaseUrl) : dataDir;
      const result = await withProgress(context, (onRows) =>
        atStore(context, { isExclusive: true }, (from, log) => {
          const onFilled = auditCopy('store.move', `${source} to ${target}`);
          return moveStore({ from, to, log, clock: systemClock, onRows, onFilled });
        }),
      );
      const { isMarked, ...copySummary } = result;
      const oldStoreText = isMarked
        ? 'The old store still has its data. It is marked as moved, so servers and commands reject it.'
        : 'The old store could not be marked as moved: never start a server on it again, because it would send unsent messages ' +
          'a second time.';
      const keys = keyAdviceForMove(config);
      const advice = `Set DATABASE_URL to it and start the server. ${oldStoreText}${keys ? `\n${keys.text}` : ''}`;
      const readable = `${target} contains ${describeCopy(copySummary)}.\n${describeUnsent(copySummary)}\n${advice}`;
      print(context, command, { ...toJson(copySummary), to: target, isMarked, secrets: keys?.files ?? {} }, readable);
    });
}
