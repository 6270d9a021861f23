import type pg from 'pg';
import { type ConnectedProcess, readProcesses } from '../../platform/store/facts-store.js';
import { type Finding, ok, warning } from './finding.js';

/**
 * The processes of starts with several, as PostgreSQL sees them by the names of their connections. One that has none does no work,
 * for each asks the store every two seconds.
 */
export async function checkProcesses(pool: Pick<pg.Pool, 'query'>): Promise<Finding[]> {
  const starts = new Map<string, ConnectedProcess[]>();
  for (const each of await readProcesses(pool)) {
    const start = `${each.machine} ${each.of} ${each.start}`;
    starts.set(start, [...(starts.get(start) ?? []), each]);
  }
  return [...starts.values()].map((found) => {
    const { of = 0, machine = '' } = found[0] ?? {};
    const where = machine === '' ? '' : ` on ${machine}`;
    const told = found.map(({ number, role, connections }) => {
      const work = role === 'worker' ? 'sends' : 'serves';
      return `${number} ${work} (${connections} ${connections === 1 ? 'connection' : 'connections'})`;
    });
    const text = `${found.length} of ${of} processes${where} are connected: ${told.join(', ')}.`;
    if (found.length === of) return ok('processes.connected', text);
    const advice = 'Whoever dies is replaced within seconds. Look again, and for "starting another" in the log.';
    return warning('processes.connected', text, advice);
  });
}
