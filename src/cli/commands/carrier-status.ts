import type { Command } from 'commander';
import { listCarriers, requireCarrier } from '../../carriers/setup/carriers.js';
import { findReports, type StoredReport } from '../../carriers/setup/status-store.js';
import { countWaiting } from '../../messages/queue/waiting-store.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import type { CliContext } from '../context.js';
import { type Json, print, table } from '../output.js';
import { withStore } from '../store.js';

/** A carrier, and how it fares in each process that sends. */
interface CarrierStatus {
  name: string;
  type: string;
  isActive: boolean;
  /** Messages in the store that are due for it, or wait for another try. */
  waiting: number;
  processes: readonly Omit<StoredReport, 'carrier'>[];
}

/** `heliograph carrier status`: how the carriers fare in every process that sends. */
export function addCarrierStatus(carrier: Command, context: CliContext): void {
  carrier
    .command('status')
    .description('how carriers fare in every process that sends: connections, last error, rate, what waits')
    .argument('[name]', 'of one carrier only')
    .action(async (name: string | undefined, _options: object, command: Command) => {
      const found = await withStore(context, (prisma) => findStatus(prisma, name));
      const headings = [
        'CARRIER',
        'WAITING',
        'PROCESS',
        'STATE',
        'SINCE',
        'RATE/S',
        'IN HAND',
        'CONNECTIONS',
        'LAST ERROR',
      ];
      print(context, command, JSON.parse(JSON.stringify(found)) as Json, table(headings, found.flatMap(linesOf)));
    });
}

/** @throws {AppError} NOT_FOUND for a name that no carrier has */
async function findStatus(prisma: PrismaClient, name: string | undefined): Promise<CarrierStatus[]> {
  const rows = name === undefined ? await listCarriers(prisma) : [await requireCarrier(prisma, name)];
  const [reports, waiting] = [await findReports(prisma), await countWaiting(prisma)];
  return rows.map(({ name: each, type, isActive }) => ({
    name: each,
    type,
    isActive,
    waiting: waiting.get(each) ?? 0,
    processes: reports.filter((report) => report.carrier === each).map(({ carrier: _, ...report }) => report),
  }));
}

/** A line for each process; one that says why where there is none. */
function linesOf({ name, isActive, waiting, processes }: CarrierStatus): string[][] {
  const begin = [name, String(waiting)];
  if (processes.length === 0) return [[...begin, '-', isActive ? 'no process tells of it' : 'off']];
  return processes.map((report) => {
    const { host, pid, state, since, reason, ratePerSecond, inHand, connections, isFresh, refreshedAt } = report;
    return [
      ...begin,
      `${host}:${pid}`,
      isFresh ? state : `silent since ${refreshedAt.toISOString()} (was ${state})`,
      since.toISOString(),
      String(ratePerSecond),
      String(inHand),
      connections.map((each) => `${each.name} ${each.isUp ? 'up' : 'down'} since ${String(each.since)}`).join(', ') ||
        '-',
      lastErrorOf(report, reason),
    ];
  });
}

/** The latest of what its connections and its messages met; else why it is not up. */
function lastErrorOf(
  { connections, lastError, lastErrorAt }: CarrierStatus['processes'][number],
  reason: string | null,
) {
  const errors = [{ lastError, lastErrorAt }, ...connections]
    .flatMap(({ lastError: text, lastErrorAt: at }) =>
      text === null || at === null ? [] : [{ text, at: new Date(at) }],
    )
    .sort((a, b) => b.at.getTime() - a.at.getTime());
  const [latest] = errors;
  return latest ? `${latest.text} (${latest.at.toISOString()})` : (reason ?? '-');
}
