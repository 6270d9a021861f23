import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openTestStore } from '../support/open-test-store.js';
import { createDataFolder } from '../support/processes/embedded-folders.js';
import { findFreePort } from '../support/processes/free-port.js';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';
import { describeSmallDisk, mountSmallDisk } from '../support/processes/small-disk.js';
import { waitFor } from '../support/wait-for.js';

async function startLoggingTo(file: string, settings: Readonly<Record<string, string>>) {
  const port = await findFreePort();
  const log = openSync(file, 'a');
  const child = spawn(process.execPath, [join(PROJECT_FOLDER, 'dist', 'main.js')], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: String(port), ...settings },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const exit = once(child, 'exit');
  onTestFinished(() => void child.kill('SIGKILL'));
  const readStatus = async (path: string) => {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    return (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } })).status;
  };
  await waitFor('the server to be ready', async () => (await readStatus('/health/ready')) === 200);
  const stop = async () => {
    child.kill('SIGTERM');
    return await exit;
  };
  return { status: readStatus, stop };
}

describe.runIf(existsSync('/dev/full'))('a disk for the log that is full from the start', () => {
  it.each(['json', 'pretty'])('does not stop the server or its shutdown with LOG_FORMAT=%s', async (LOG_FORMAT) => {
    const DATA_DIR = createDataFolder();
    const server = await startLoggingTo('/dev/full', { DATA_DIR, LOG_FORMAT });
    expect(await server.status('/v1.0/account/balance')).toBe(401);
    expect(await server.stop()).toEqual([0, null]);
    expect(existsSync(join(DATA_DIR, 'postgres', 'postmaster.pid'))).toBe(false);
  });
});

describeSmallDisk('a disk for the log that fills up', () => {
  it('loses log lines, which all processes count and report, while requests are still served', async () => {
    const store = await openTestStore();
    onTestFinished(() => store.close());
    const disk = mountSmallDisk('1m');
    onTestFinished(() => disk.unmount());
    const file = join(disk.path, 'log');
    const metricsPort = await findFreePort();
    const server = await startLoggingTo(file, {
      DATABASE_URL: store.url,
      PROCESSES: '2',
      LOG_LEVEL: 'debug',
      METRICS_PORT: String(metricsPort),
    });
    const countLostLines = async () => {
      const response = await fetch(`http://127.0.0.1:${metricsPort}/metrics`, { headers: { connection: 'close' } });
      return Number(/^heliograph_log_lines_lost_total (\d+)$/m.exec(await response.text())?.[1]);
    };
    expect(await countLostLines()).toBe(0);
    disk.fill();
    await waitFor('lines to be lost', async () => {
      expect(await server.status('/v1.0/account/balance')).toBe(401);
      return (await countLostLines()) > 0;
    });
    disk.makeRoom();
    const listReports = () =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('{') && line.endsWith('}'))
        .map((line) => JSON.parse(line) as { lostLines?: number; msg: string })
        .filter((line) => line.lostLines !== undefined);
    await waitFor('lost lines to be reported', () => listReports().length > 0);
    expect(listReports()[0]?.msg).toContain('ENOSPC');
    disk.fill();
    expect(await server.stop()).toEqual([0, null]);
  });
});
