import type { Command } from 'commander';
import { builtInType } from '../../../carriers/types.js';
import { type CarrierStatus, findCarrierStatus, findLastError } from '../../../features/carriers/carrier-status.js';
import type { CliContext } from '../../context.js';
import { type Json, print, table } from '../../output.js';
import { withStore } from '../../store.js';

/** `heliograph carrier status`: how the carriers fare in every process that sends. */
export function addCarrierStatus(carrier: Command, context: CliContext): void {
  carrier
    .command('status')
    .description('how carriers fare in every process that sends: connections, last error, rate, what waits')
    .argument('[name]', 'of one carrier only')
    .action(async (name: string | undefined, _options: object, command: Command) => {
      const found = await withStore(context, (prisma) => findCarrierStatus(prisma, name));
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

/** A line for each process; one that says why where there is none. */
function linesOf({ name, isActive, waiting, processes }: CarrierStatus): string[][] {
  const begin = [name, String(waiting)];
  if (builtInType(name)) return [[...begin, '-', 'built in: it is there in every process, and never down']];
  if (processes.length === 0) return [[...begin, '-', isActive ? 'no process tells of it' : 'off']];
  return processes.map((report) => {
    const { host, pid, state, since, reason, ratePerSecond, inHand, connections, isFresh, refreshedAt } = report;
    const lastError = findLastError(report);
    return [
      ...begin,
      `${host}:${pid}`,
      isFresh ? state : `silent since ${refreshedAt.toISOString()} (was ${state})`,
      since.toISOString(),
      String(ratePerSecond),
      String(inHand),
      connections.map((each) => `${each.name} ${each.isUp ? 'up' : 'down'} since ${String(each.since)}`).join(', ') ||
        '-',
      lastError ? `${lastError.text} (${lastError.at.toISOString()})` : (reason ?? '-'),
    ];
  });
}
