import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  findUnmatched,
  findUnmatchedBody,
  type UnmatchedFilter,
  type UnmatchedReportRow,
} from '../../../carriers/callbacks/unmatched/find-store.js';
import type { ReplayCounts } from '../../../carriers/callbacks/unmatched/replay.js';
import { ReportSeal } from '../../../carriers/callbacks/unmatched/report-seal.js';
import { isUuid } from '../../../platform/ids.js';
import { systemClock } from '../../../platform/system-clock.js';
import { loadConfig } from '../../../process/settings/config.js';
import { reportKeys } from '../../../process/settings/report-keys.js';
import { replayReports } from '../../../process/startup/replay.js';
import { changeInStages } from '../../change.js';
import { type CliContext, getCarrierTypes } from '../../context.js';
import { limitOption } from '../../options.js';
import { formatTable, type Json, print } from '../../output.js';
import { commandLog, withStore } from '../../store.js';

export function addCallbackCommands(program: Command, context: CliContext): void {
  const callbacks = program.command('callbacks').description('stored carrier reports that this version could not use');
  addFilters(callbacks.command('list'))
    .description('list stored reports, newest first')
    .addOption(limitOption(50))
    .action(async ({ limit, ...filter }: UnmatchedFilter & { limit: number }, command: Command) => {
      const reports = await withStore(context, (prisma) => findUnmatched(prisma, filter, { limit, before: null }));
      const heading = ['ID', 'RECEIVED', 'CARRIER', 'KIND', 'REASON', 'CHANNEL', 'NAMES'];
      const readable = reports.length === 0 ? 'No reports are stored.' : formatTable(heading, reports.map(toCells));
      print(context, command, JSON.parse(JSON.stringify(reports)) as Json, readable);
    });
  callbacks
    .command('show')
    .description('show a report with its body, which may contain message texts')
    .argument('<id>', 'ID from the list', parseReportId)
    .action(async (id: string, _options: object, command: Command) => {
      const keys = reportKeys(loadConfig(context.env));
      const { report, body } = await withStore(context, async (prisma) => {
        const [storedReport] = await findUnmatched(prisma, { id }, { limit: 1, before: null });
        const sealedBody = await findUnmatchedBody(prisma, id);
        if (!storedReport || !sealedBody) throw new Error(`there is no stored report with the ID ${id}`);
        return { report: storedReport, body: new ReportSeal(keys).open(sealedBody).toString('utf8') };
      });
      const result = { ...(JSON.parse(JSON.stringify(report)) as Record<string, Json>), body };
      print(context, command, result, `${describeReport(report)}\n\n${formatBody(body)}`);
    });
  addFilters(callbacks.command('replay'))
    .description(
      'process stored reports and set-aside callbacks again, for example after an upgrade or once their channel exists; ' +
        'safe to repeat',
    )
    .option('--id <id>', 'only this report', parseReportId)
    .action(async (filter: UnmatchedFilter, command: Command) => {
      const config = loadConfig(context.env);
      const keys = reportKeys(config);
      const fetchesMedia = config.mediaFetch === 'at-once';
      const counts = await withStore(context, async (prisma, pool) => {
        const log = commandLog('warn');
        const subject = filter.kind ?? filter.id ?? 'all';
        return await changeInStages(
          { prisma },
          {
            begin: async () => ({ result: null, audit: { action: 'callbacks.replayStart', subject } }),
            work: () =>
              replayReports(
                { pool, log, clock: systemClock, types: getCarrierTypes(context), keys, fetchesMedia },
                filter,
              ),
            end: (replayed) => ({ action: 'callbacks.replay', subject, after: { ...replayed } }),
          },
        );
      });
      print(context, command, { ...counts }, describeReplay(counts));
    });
}

function addFilters(command: Command): Command {
  return command
    .option('--kind <kind>', 'only of this kind, such as field:group_settings_update')
    .option('--carrier <name>', 'only of this carrier')
    .addOption(new Option('--since <time>', 'received at or after this time, such as 2027-01-31').argParser(parseTime))
    .addOption(new Option('--until <time>', 'received before this time').argParser(parseTime));
}

function toCells({ id, receivedAt, carrier, kind, reason, channelId, ids }: UnmatchedReportRow): string[] {
  const idNames = ids.length > 3 ? `${ids.slice(0, 3).join(' ')} …` : ids.join(' ');
  return [id, receivedAt.toISOString(), carrier, kind, reason, channelId ?? '-', idNames || '-'];
}

function describeReport({ id, receivedAt, carrier, kind, reason, channelId, form }: UnmatchedReportRow): string {
  const texts = form === 'bare' ? ', without its texts: KEPT_REPORTS_SECRET was not set' : '';
  return `${id}  ${receivedAt.toISOString()}\n${kind} of ${carrier}, ${reason}, channel ${channelId ?? 'unknown'}${texts}`;
}

/** Replaces control characters, which could manipulate the terminal. */
function formatBody(body: string): string {
  let text = body;
  try {
    text = JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    // Stored reports may contain invalid JSON, which is shown unformatted.
  }
  return text.replace(/[^\P{Cc}\n]|[\p{Cf}\u2028\u2029]/gu, ' ');
}

function describeReplay({ applied, unknown, unopened, failed }: ReplayCounts): string {
  const parts = [
    `${applied} applied`,
    `${unknown} still not usable by this version`,
    unopened > 0 && `${unopened} encrypted with a secret that is missing in KEPT_REPORTS_SECRET`,
    failed > 0 && `${failed} failed again`,
  ].filter((part) => part !== false);
  return `Reports: ${parts.join(', ')}.`;
}

function parseReportId(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError('It must be the ID of a report from "heliograph callbacks list".');
  return text.toLowerCase();
}

function parseTime(text: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw new InvalidArgumentError('It must be a date or time, such as 2027-01-31T12:00Z.');
  return time;
}
