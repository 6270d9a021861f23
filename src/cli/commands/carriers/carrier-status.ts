import type { Command } from 'commander';
import { findBuiltInType } from '../../../carriers/types.js';
import { type CarrierStatus, findCarrierStatus, findLastError } from '../../../features/carriers/carrier-status.js';
import type { CliContext } from '../../context.js';
import { formatTable, type Json, print } from '../../output.js';
import { withStore } from '../../store.js';

export function addCarrierStatus(carrier: Command, context: CliContext): void {
  carrier
    .command('status')
    .description(
      'show the state of carriers in each process that sends: connections, last error, rate, waiting messages',
    )
    .argument('[name]', 'only this carrier')
    .action(async (name: string | undefined, _options: object, command: Command) => {
      const carriers = await withStore(context, (prisma) => findCarrierStatus(prisma, name));
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
      print(
        context,
        command,
        JSON.parse(JSON.stringify(carriers)) as Json,
        formatTable(headings, carriers.flatMap(toRows)),
      );
    });
}

/** Returns a row per process, or one row with the reason if no process reports about the carrier. */
function toRows({ name, isActive, waiting, processes }: CarrierStatus): string[][] {
  const firstCells = [name, String(waiting)];
  if (findBuiltInType(name)) return [[...firstCells, '-', 'built in: always available in every process']];
  if (processes.length === 0) return [[...firstCells, '-', isActive ? 'no process reports it' : 'off']];
  return processes.map((report) => {
    const { host, pid, state, since, reason, ratePerSecond, inHand, connections, isFresh, refreshedAt } = report;
    const lastError = findLastError(report);
    return [
      ...firstCells,
      `${host}:${pid}`,
      isFresh ? state : `silent since ${refreshedAt.toISOString()} (was ${state})`,
      since.toISOString(),
      String(ratePerSecond),
      String(inHand),
      connections
        .map((connection) => `${connection.name} ${connection.isUp ? 'up' : 'down'} since ${String(connection.since)}`)
        .join(', ') || '-',
      lastError ? `${lastError.text} (${lastError.at.toISOString()})` : (reason ?? '-'),
    ];
  });
}
