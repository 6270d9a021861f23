import type pg from 'pg';
import { type ConnectedProcess, readProcesses } from '../../platform/store/facts-store.js';
import { type Finding, ok, warning } from './finding.js';

/** Every working process has a connection to the store, because it queries the store every two seconds. */
export async function checkProcesses(pool: Pick<pg.Pool, 'query'>): Promise<Finding[]> {
  const starts = new Map<string, ConnectedProcess[]>();
  for (const connectedProcess of await readProcesses(pool)) {
    const start = `${connectedProcess.machine} ${connectedProcess.processCount} ${connectedProcess.primaryPid}`;
    starts.set(start, [...(starts.get(start) ?? []), connectedProcess]);
  }
  return [...starts.values()].map((connectedProcesses) => {
    const { processCount = 0, machine = '' } = connectedProcesses[0] ?? {};
    const location = machine === '' ? '' : ` on ${machine}`;
    const descriptions = connectedProcesses.map(({ number, role, connections }) => {
      const work = role === 'worker' ? 'sends' : 'serves';
      return `${number} ${work} (${connections} ${connections === 1 ? 'connection' : 'connections'})`;
    });
    const text = `${connectedProcesses.length} of ${processCount} processes${location} are connected: ${descriptions.join(', ')}.`;
    if (connectedProcesses.length === processCount) return ok('processes.connected', text);
    const advice =
      'A crashed process is replaced within seconds. Check again, and look for "starting another" in the log.';
    return warning('processes.connected', text, advice);
  });
}
