import type { Command } from 'commander';
import { moveStore } from '../../../features/backup/move.js';
import { placeOf } from '../../../platform/store/place.js';
import { systemClock } from '../../../platform/system-clock.js';
import { loadConfig } from '../../../process/settings/config.js';
import { FORMAT_RULES, isPostgresUrl } from '../../../process/settings/setting-formats.js';
import type { CliContext } from '../../context.js';
import { print } from '../../output.js';
import { atStore } from '../../store.js';
import { aboutKeysOfMoved } from './about-keys.js';
import { auditCopy } from './audit-copy.js';
import { aboutUnderWay, asJson, describe, withProgress } from './backup.js';

/** `heliograph move`: the store of the settings to another PostgreSQL. */
export function addMoveCommand(program: Command, context: CliContext): void {
  program
    .command('move')
    .description('copy the store to another, empty PostgreSQL, and compare both; no server may run meanwhile')
    .requiredOption('--to <database-url>', 'where to, e.g. postgresql://user:password@host:5432/database')
    .action(async ({ to }: { to: string }, command: Command) => {
      // The driver would take any text, and connect to what it makes of it.
      if (!isPostgresUrl(to)) throw new Error(`--to ${FORMAT_RULES['postgres-url']}`);
      const config = loadConfig(context.env);
      const { databaseUrl, dataDir } = config;
      const target = placeOf(to);
      const source = databaseUrl ? placeOf(databaseUrl) : dataDir;
      const moved = await withProgress(context, (onRows) =>
        atStore(context, { alone: true }, (from, log) => {
          const onFilled = auditCopy('store.move', `${source} to ${target}`);
          return moveStore({ from, to, log, clock: systemClock, onRows, onFilled });
        }),
      );
      const { isMarked, ...copied } = moved;
      const left = isMarked
        ? 'The store that was left has its rows as they were; it is marked as moved, so servers and commands refuse it.'
        : 'The store that was left could not be marked as moved: never start a server on it again, for it would send what ' +
          'is under way a second time.';
      const keys = aboutKeysOfMoved(config);
      const advice = `Set DATABASE_URL to it and start the server. ${left}${keys ? `\n${keys.text}` : ''}`;
      const readable = `${target} holds ${describe(copied)}.\n${aboutUnderWay(copied)}\n${advice}`;
      print(context, command, { ...asJson(copied), to: target, isMarked, secrets: keys?.files ?? {} }, readable);
    });
}
