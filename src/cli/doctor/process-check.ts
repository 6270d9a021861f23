import type pg from 'pg';
import { type ConnectedProcess, readProcesses } from '../../platform/store/facts-store.js';
import { type Finding, ok, warning } from './finding.js';

/** A working process always has a connection, because it queries the store every two seconds. */
export async function checkProcesses(pool: Pick<pg.Pool, 'query'>): Promise<Finding[]> {
  const starts = new Map<string, ConnectedProcess[]>();
  for (const each of await readProcesses(pool)) {
    const start = `${each.machine} ${each.processCount} ${each.primaryPid}`;
    starts.set(start, [...(starts.get(start) ?? []), each]);
  }
  return [...starts.values()].map((connected) => {
    const { processCount = 0, machine = '' } = connected[0] ?? {};
    const where = machine === '' ? '' : ` on ${machine}`;
    const descriptions = connected.map(({ number, role, connections }) => {
      const work = role === 'worker' ? 'sends' : 'serves';
      return `${number} ${work} (${connections} ${connections === 1 ? 'connection' : 'connections'})`;
    });
    const text = `${connected.length} of ${processCount} processes${where} are connected: ${descriptions.join(', ')}.`;
    if (connected.length === processCount) return ok('processes.connected', text);
    const advice =
      'A crashed process is replaced within seconds. Check again, and look for "starting another" in the log.';
    return warning('processes.connected', text, advice);
  });
}
