import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCli } from '../../src/cli/program.js';
import { isAlive } from '../../src/platform/embedded/ownership/postmaster.js';
import {
  createDataFolder,
  createSharedDataFolder,
  readPostmasterPid,
  removeFolder,
} from '../support/processes/embedded-folders.js';
import { findFreePort } from '../support/processes/free-port.js';
import { runToEnd } from '../support/processes/run-to-end.js';
import { PROJECT_FOLDER, type ServerProcess, startServerProcess } from '../support/processes/server-process.js';
import { createTestDatabase } from '../support/store/databases.js';
import { waitFor } from '../support/wait-for.js';

// Each test starts a server, and some tests start it twice.
async function startServer(settings: Record<string, string>, cwd?: string): Promise<ServerProcess> {
  const server = await startServerProcess({ settings: { SIMULATOR_DELAY_MS: '0', ...settings }, cwd });
  onTestFinished(async () => void (await server.stop('SIGKILL')));
  return server;
}

async function readBalance({ baseUrl }: ServerProcess, dataDir: string): Promise<number> {
  const demo = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as { surfaceA: { apiKey: string } };
  const headers = { authorization: `Bearer ${demo.surfaceA.apiKey}` };
  const response = await fetch(`${baseUrl}/v1.0/account/balance`, { headers });
  return ((await response.json()) as { balance: number }).balance;
}

/** Throws if PostgreSQL is not running, because `process.kill(0)` would signal the whole process group. */
function postgresPid(dataDir: string): number {
  const pid = readPostmasterPid(join(dataDir, 'postgres'));
  if (!pid) throw new Error(`no PostgreSQL runs in ${dataDir}`);
  return pid;
}

const existingFolder = createSharedDataFolder();

describe('npm start', () => {
  it('serves requests on the first start and the next, and leaves no process behind', async () => {
    const dataDir = createDataFolder();
    for (const isFirst of [true, false]) {
      const server = await startServer({ DATA_DIR: dataDir });
      expect(await readBalance(server, dataDir)).toBe(10_000);
      const postgres = postgresPid(dataDir);
      expect(await server.stop()).toBe(0);
      expect(isAlive(postgres)).toBe(false);
      expect(server.output().match(/Heliograph listens on http:\/\/127\.0\.0\.1:\d+/g)).toHaveLength(1);
      expect(server.output().includes('demo account was created')).toBe(isFirst);
      expect(server.output()).not.toContain('heliograph operator create');
    }
  });

  it('writes the current address to demo.json on each start, and keeps the keys', async () => {
    const dataDir = createDataFolder();
    const { url, drop } = await createTestDatabase();
    onTestFinished(drop);
    const settings = { DATA_DIR: dataDir, DATABASE_URL: url, SEED_DEMO: 'true' };
    const readDemoFile = () =>
      JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as {
        baseUrl: string;
        console: { signInUrl: string };
      };
    const { output } = await runToEnd({ ...settings, PORT: '0' }, async (child, readOutput) => {
      await waitFor('the start', () => readOutput().includes('Heliograph listens on'));
      child.kill('SIGTERM');
    });
    const first = readDemoFile();
    expect(output).toContain(`listens on ${first.baseUrl}`);

    for (const ROLE of ['api', 'worker']) {
      const server = await startServer({ ...settings, ROLE });
      await waitFor('the start', () => server.output().includes('Heliograph listens on'));
      const { baseUrl } = server;
      const signInUrl = first.console.signInUrl.replace(first.baseUrl, baseUrl);
      if (ROLE === 'api') expect(readDemoFile()).toEqual({ ...first, baseUrl, console: { signInUrl } });
      else expect(readDemoFile().baseUrl).not.toBe(baseUrl);
      await server.stop('SIGKILL');
    }
  });

  it('shows how to create the first operator, until there is one', async () => {
    const { url, drop } = await createTestDatabase();
    onTestFinished(drop);
    const settings = { DATA_DIR: createDataFolder(), DATABASE_URL: url, ROLE: 'api' };
    const hint = 'heliograph operator create <name>';
    const first = await startServer(settings);
    await waitFor('the hint', () => first.output().includes(hint));
    expect(await first.stop()).toBe(0);
    const exitCode = await runCli(['operator', 'create', 'ada'], {
      env: settings,
      write: () => undefined,
      writeError: () => undefined,
    });
    expect(exitCode).toBe(0);
    const second = await startServer(settings);
    expect(await second.stop()).toBe(0);
    expect(second.output()).toContain('Heliograph listens on');
    expect(second.output()).not.toContain(hint);
  });

  it('reads .env in the working directory; the environment overrides it', async () => {
    const dataDir = createDataFolder();
    const folder = dirname(dataDir);
    writeFileSync(join(folder, '.env'), 'PORT=wrong\nDATA_DIR=data dir\nSEED_DEMO=false\n');
    const server = await startServer({}, folder);
    expect(existsSync(join(dataDir, 'postgres', 'PG_VERSION'))).toBe(true);
    expect(existsSync(join(dataDir, 'demo.json'))).toBe(false);
    expect(await server.stop('SIGINT')).toBe(0);
  });

  it('fails with an explanation when it already runs on the same data folder, on the same or another port', async () => {
    const dataDir = existingFolder;
    const server = await startServer({ DATA_DIR: dataDir });
    for (const PORT of [new URL(server.baseUrl).port, '0']) {
      const second = await runToEnd({ DATA_DIR: dataDir, PORT });
      expect(second).toMatchObject({ code: 1 });
      expect(second.output).toContain(`already running on the data folder ${dataDir}`);
      expect(second.output).toContain('DATA_DIR');
      expect(second.output).not.toMatch(/postmaster|lock file|\n\s+at /);
    }
    expect(await readBalance(server, dataDir)).toBe(10_000);
  });

  it('names PORT when another program uses the port, before it creates anything', async () => {
    const dataDir = createDataFolder();
    const otherProgram = createServer().listen(0, '127.0.0.1');
    await once(otherProgram, 'listening');
    onTestFinished(() => void otherProgram.close());
    const { port } = otherProgram.address() as { port: number };
    const { code, output } = await runToEnd({ DATA_DIR: dataDir, PORT: String(port) });
    expect(code).toBe(1);
    expect(output).toContain(`Another program uses port ${port} of 127.0.0.1. Stop it, or set PORT`);
    expect(existsSync(dataDir)).toBe(false);
  });

  it('names HOST when the machine has no such address', async () => {
    // 192.0.2.0/24 is reserved for documentation (RFC 5737).
    const { code, output } = await runToEnd({ DATA_DIR: createDataFolder(), HOST: '192.0.2.1', PORT: '0' });
    expect(code).toBe(1);
    expect(output).toContain('no address 192.0.2.1 to listen on. Set HOST');
  });

  it('lists all invalid settings', async () => {
    const { code, output } = await runToEnd({ PORT: 'x', ROLE: 'boss', REDIS_URL: 'nowhere', LOG_LEVEL: 'loud' });
    expect(code).toBe(1);
    expect(output).toContain('4 settings are invalid');
    for (const name of ['PORT', 'ROLE', 'REDIS_URL', 'LOG_LEVEL'])
      expect(output).toMatch(new RegExp(`\\b${name} must`));
  });

  it('names DATABASE_URL when the database cannot be reached', async () => {
    const port = await findFreePort();
    const { code, output } = await runToEnd({ DATABASE_URL: `postgresql://127.0.0.1:${port}/none`, PORT: '0' });
    expect(code).toBe(1);
    expect(output).toContain('DATABASE_URL');
    expect(output).not.toMatch(/\n\s+at /);
  });

  it('treats a signal that npm forwards a second time as one', async () => {
    const server = await startServer({ DATA_DIR: existingFolder });
    server.process.kill('SIGINT');
    server.process.kill('SIGINT');
    expect(await server.exitCode).toBe(0);
  });

  it('ends when npm start receives a signal, because no shell in between swallows it', async () => {
    const dataDir = existingFolder;
    const port = String(await findFreePort());
    const npm = spawn('npm', ['start'], {
      cwd: PROJECT_FOLDER,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: dataDir, PORT: port },
      stdio: 'ignore',
    });
    onTestFinished(() => void npm.kill('SIGKILL'));
    const isReady = () => fetch(`http://127.0.0.1:${port}/health/ready`).then(({ status }) => status === 200);
    await waitFor('the server to be ready', isReady, { intervalMs: 50 });
    const postgres = postgresPid(dataDir);
    npm.kill('SIGTERM');
    await once(npm, 'exit');
    await waitFor('the server to be gone', () =>
      isReady().then(
        () => false,
        () => true,
      ),
    );
    await waitFor('its PostgreSQL to be gone', () => !isAlive(postgres));
  });

  it('closes everything when a signal comes during the start', async () => {
    const dataDir = createDataFolder();
    // The shutdown waits until the start has finished, which may take long.
    const settings = { DATA_DIR: dataDir, PORT: '0', SHUTDOWN_TIMEOUT_MS: '50000' };
    const { code } = await runToEnd(settings, async (child) => {
      await waitFor('PostgreSQL to start', () => postgresPid(dataDir));
      child.kill('SIGTERM');
    });
    expect(code).toBe(0);
    expect(readPostmasterPid(join(dataDir, 'postgres'))).toBeNull();
  });
});

describe('kill -9', () => {
  it('of the server alone: the next start takes over its PostgreSQL', async () => {
    const dataDir = existingFolder;
    const first = await startServer({ DATA_DIR: dataDir });
    const orphan = postgresPid(dataDir);
    await first.stop('SIGKILL');
    expect(isAlive(orphan)).toBe(true);
    const second = await startServer({ DATA_DIR: dataDir });
    expect(isAlive(orphan)).toBe(false);
    expect(await readBalance(second, dataDir)).toBe(10_000);
  });

  it('of the server and its PostgreSQL: the next start recovers', async () => {
    const dataDir = existingFolder;
    const first = await startServer({ DATA_DIR: dataDir });
    process.kill(postgresPid(dataDir), 'SIGKILL');
    await first.stop('SIGKILL');
    const second = await startServer({ DATA_DIR: dataDir });
    expect(await readBalance(second, dataDir)).toBe(10_000);
  });

  it('of PostgreSQL alone: the server restarts it and continues', async () => {
    const dataDir = existingFolder;
    const server = await startServer({ DATA_DIR: dataDir });
    process.kill(postgresPid(dataDir), 'SIGKILL');
    await waitFor('the balance to be answered again', async () => (await readBalance(server, dataDir)) === 10_000);
    expect(server.process.exitCode).toBeNull();
    expect(await server.stop()).toBe(0);
  });
});

describe('ROLE=worker', () => {
  it('listens only when PORT is set, and then serves only its health', async () => {
    const database = await createTestDatabase();
    onTestFinished(() => database.drop());
    const settings = { DATABASE_URL: database.url, ROLE: 'worker', SEED_DEMO: 'false' };
    const silent = await runToEnd(settings, async (child, output) => {
      await waitFor('the worker to start', () => output().includes('listens on no port'));
      child.kill();
    });
    expect(silent.code).toBe(0);
    const worker = await startServer(settings);
    expect((await fetch(`${worker.baseUrl}/v1.0/account/balance`)).status).toBe(404);
    expect(await worker.stop()).toBe(0);
  });
});

describe.runIf(process.getuid?.() === 0)('npm start as root in a home folder that other users cannot enter', () => {
  it('works and does not change the permissions of the folder', async () => {
    const home = mkdtempSync(join(tmpdir(), 'heliograph home '));
    onTestFinished(async () => {
      const clusterFolder = readFileSync(join(home, '.data', 'postgres-folder'), 'utf8').trim();
      await removeFolder(clusterFolder, clusterFolder);
      rmSync(home, { recursive: true });
    });
    const server = await startServer({}, home);
    expect(await readBalance(server, join(home, '.data'))).toBe(10_000);
    expect(await server.stop()).toBe(0);
    expect(statSync(home).mode & 0o777).toBe(0o700);
  });
});
