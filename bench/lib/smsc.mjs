import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { killAtExit } from '../../chaos/world/at-exit.mjs';
import { newId } from '../../dist/platform/ids.js';

/**
 * Starts an SMSC as a separate process.
 * @param {'smsc' | 'lean-smsc'} [name] name of a script in bench/servers
 */
export async function startSmsc(name = 'smsc') {
  const script = fileURLToPath(new URL(`../servers/${name}.mjs`, import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  killAtExit(child);
  const lines = createInterface({ input: child.stdout });
  const readLine = async () => (await once(lines, 'line'))[0];
  const port = Number(await readLine());
  return {
    port,
    /** Returns the SMSC's figures since the previous call. */
    async readFigures() {
      const line = readLine();
      child.stdin.write('\n');
      return JSON.parse(await line);
    },
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/**
 * Routes all SMS of a store to an SMSC, with at most `window` unacknowledged submits.
 * @param {Pick<import('pg').Client, 'query'>} store
 * @param {{ port: number, window: number }} smsc
 */
export async function routeToSmsc(store, { port, window }) {
  const settings = { host: '127.0.0.1', port, systemId: 'bench', password: 'bench', window };
  await store.query(`INSERT INTO carriers (id, name, type, settings) VALUES ($1, 'smsc', 'smpp', $2)`, [
    newId(),
    JSON.stringify(settings),
  ]);
  await store.query(`INSERT INTO routes (id, carriers) VALUES ($1, ARRAY['smsc'])`, [newId()]);
}
