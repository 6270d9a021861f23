import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  findKept,
  findKeptBody,
  type KeptFilter,
  type KeptReport,
} from '../../../carriers/callbacks/kept/find-store.js';
import type { Replayed } from '../../../carriers/callbacks/kept/replay.js';
import { ReportSeal } from '../../../carriers/callbacks/kept/report-seal.js';
import { isUuid } from '../../../platform/ids.js';
import { systemClock } from '../../../platform/system-clock.js';
import { loadConfig } from '../../../process/settings/config.js';
import { reportKeys } from '../../../process/settings/report-keys.js';
import { replayReports } from '../../../process/startup/replay.js';
import { changeInStages } from '../../change.js';
import { type CliContext, carrierTypes } from '../../context.js';
import { limitOption } from '../../options.js';
import { type Json, print, table } from '../../output.js';
import { commandLog, withStore } from '../../store.js';

/** `heliograph callbacks …`: what carriers reported and this version does not use, and playing it again. */
export function addCallbackCommands(program: Command, context: CliContext): void {
  const callbacks = program
    .command('callbacks')
    .description('reports of carriers that were kept, for nothing used them');
  filtered(callbacks.command('list'))
    .description('reports that are kept, the newest first')
    .addOption(limitOption(50))
    .action(async ({ limit, ...filter }: KeptFilter & { limit: number }, command: Command) => {
      const found = await withStore(context, (prisma) => findKept(prisma, filter, { limit, before: null }));
      const heading = ['ID', 'RECEIVED', 'CARRIER', 'KIND', 'REASON', 'CHANNEL', 'NAMES'];
      const readable = found.length === 0 ? 'No report is kept.' : table(heading, found.map(cellsOf));
      print(context, command, JSON.parse(JSON.stringify(found)) as Json, readable);
    });
  callbacks
    .command('show')
    .description('one report with its body, which may hold what somebody wrote')
    .argument('<id>', 'of the list', uuid)
    .action(async (id: string, _options: object, command: Command) => {
      const keys = reportKeys(loadConfig(context.env));
      const { report, body } = await withStore(context, async (prisma) => {
        const [found] = await findKept(prisma, { id }, { limit: 1, before: null });
        const kept = await findKeptBody(prisma, id);
        if (!found || !kept) throw new Error(`no report with the id ${id} is kept`);
        return { report: found, body: new ReportSeal(keys).open(kept).toString('utf8') };
      });
      const shown = { ...(JSON.parse(JSON.stringify(report)) as Record<string, Json>), body };
      print(context, command, shown, `${linesOf(report)}\n\n${readableBody(body)}`);
    });
  filtered(callbacks.command('replay'))
    .description(
      'do what kept reports say, after an upgrade or once their channel is there, and callbacks that were set aside; ' +
        'doing it twice changes nothing',
    )
    .option('--id <id>', 'one report of the list', uuid)
    .action(async (filter: KeptFilter, command: Command) => {
      const config = loadConfig(context.env);
      const keys = reportKeys(config);
      const fetchesMedia = config.mediaFetch === 'at-once';
      const done = await withStore(context, async (prisma, pool) => {
        const log = commandLog('warn');
        const subject = filter.kind ?? filter.id ?? 'all';
        return await changeInStages(
          { prisma },
          {
            begin: async () => ({ result: null, told: { action: 'callbacks.replayStart', subject } }),
            work: () =>
              replayReports(
                { pool, log, clock: systemClock, types: carrierTypes(context), keys, fetchesMedia },
                filter,
              ),
            end: (replayed) => ({ action: 'callbacks.replay', subject, after: { ...replayed } }),
          },
        );
      });
      print(context, command, { ...done }, sentenceOf(done));
    });
}

function filtered(command: Command): Command {
  return command
    .option('--kind <kind>', 'of one kind, such as field:group_settings_update')
    .option('--carrier <name>', 'of one carrier')
    .addOption(new Option('--since <time>', 'received then or later, such as 2027-01-31').argParser(moment))
    .addOption(new Option('--until <time>', 'received before').argParser(moment));
}

function cellsOf({ id, receivedAt, carrier, kind, reason, channelId, ids }: KeptReport): string[] {
  const names = ids.length > 3 ? `${ids.slice(0, 3).join(' ')} …` : ids.join(' ');
  return [id, receivedAt.toISOString(), carrier, kind, reason, channelId ?? '-', names || '-'];
}

function linesOf({ id, receivedAt, carrier, kind, reason, channelId, form }: KeptReport): string {
  const texts = form === 'bare' ? ', without its texts: KEPT_REPORTS_SECRET was not set' : '';
  return `${id}  ${receivedAt.toISOString()}\n${kind} of ${carrier}, ${reason}, channel ${channelId ?? 'unknown'}${texts}`;
}

/** What others wrote must not move the cursor of a terminal. */
function readableBody(body: string): string {
  let text = body;
  try {
    text = JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    // It is kept because it is no JSON.
  }
  return text.replace(/[^\P{Cc}\n]|[\p{Cf}\u2028\u2029]/gu, ' ');
}

function sentenceOf({ applied, unknown, unopened, failed }: Replayed): string {
  const parts = [
    `${applied} applied`,
    `${unknown} that this version does not use either`,
    unopened > 0 && `${unopened} sealed under a secret that KEPT_REPORTS_SECRET does not name`,
    failed > 0 && `${failed} failed again`,
  ].filter((part) => part !== false);
  return `Reports: ${parts.join(', ')}.`;
}

function uuid(text: string): string {
  if (!isUuid(text))
    throw new InvalidArgumentError('It must be the id of a report, as "heliograph callbacks list" shows it.');
  return text.toLowerCase();
}

function moment(text: string): Date {
  const at = new Date(text);
  if (Number.isNaN(at.getTime()))
    throw new InvalidArgumentError('It must be a date or a time, such as 2027-01-31T12:00Z.');
  return at;
}
