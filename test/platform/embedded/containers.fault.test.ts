import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startEmbeddedPostgres } from '../../../src/platform/embedded/embedded-postgres.js';
import { findRunningUrl } from '../../../src/platform/embedded/running-url.js';
import { openFolder } from '../../support/open-folder.js';
import { type Container, describeContainers, startContainer } from '../../support/processes/containers.js';
import { queryRows, startEmbedded } from '../../support/processes/embedded-folders.js';
import { PROJECT_FOLDER } from '../../support/processes/server-process.js';
import { waitFor } from '../../support/wait-for.js';

// Each test starts PostgreSQL several times.
vi.setConfig({ testTimeout: 600_000 });

const OWNER = fileURLToPath(new URL('../../support/processes/embedded-owner.mjs', import.meta.url));
const SERVER = join(PROJECT_FOLDER, 'dist', 'main.js');
const COMMAND = join(PROJECT_FOLDER, 'dist', 'cli', 'main.js');

let folder: string;

beforeAll(() => {
  folder = openFolder('heliograph-containers-');
});

// The process IDs in the folder belong to containers that have ended, so no process may be killed by these IDs.
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

const startOwner = (hostname: string, options = {}) => startContainer(hostname, [OWNER, folder], options);

const startServer = (hostname: string) =>
  startContainer(hostname, [SERVER], { env: { DATA_DIR: folder, PORT: '3000', LOG_FORMAT: 'json' } });

const runCommand = (...args: string[]) => startContainer('command', [COMMAND, ...args], { env: { DATA_DIR: folder } });

/** Returns null until the container has printed its answer. */
function readAnswer(container: Container): { url?: string; error?: string } | null {
  const line = container.output().match(/^\{"(?:url|error)".*$/m);
  return line && JSON.parse(line[0]);
}

async function waitForAnswer(container: Container) {
  return await waitFor('an owner to answer', () => readAnswer(container));
}

describeContainers('containers that share a data folder', () => {
  it("let commands use the server's store, refuse a second server, and lose no data when killed", async () => {
    const first = startServer('first');
    await waitFor('the first server to listen', () => first.output().includes('Heliograph listens'));

    const second = startServer('second');
    const create = runCommand('account', 'create', 'Beside');
    const url = runCommand('store', 'url');
    const move = runCommand('move', '--to', 'postgresql://127.0.0.1:9/none');
    expect(await second.exitCode).toBe(1);
    expect(second.output()).toMatch(
      /already running on the data folder .*\. It is a server at http:\/\/127\.0\.0\.1:3000, process 1 on host first, since 20/,
    );
    expect(await create.exitCode, create.output()).toBe(0);
    expect(await url.exitCode, url.output()).toBe(0);
    expect(url.output()).toContain('?host=');
    expect(await move.exitCode, move.output()).toBe(1);
    expect(move.output()).toContain('already running');

    await first.kill();
    const third = startServer('third');
    await waitFor('the third server to listen', () => third.output().includes('Heliograph listens'));
    expect(readFileSync(join(folder, 'postgres.log'), 'utf8')).not.toContain('PANIC');
    const list = runCommand('account', 'list');
    expect(await list.exitCode).toBe(0);
    expect(list.output()).toContain('Beside');
    await third.kill();
  });

  it('make commands wait for each other and refuse a server while a command runs', async () => {
    const first = startContainer('first', [OWNER, folder, 'command']);
    await waitForAnswer(first);
    const server = startServer('server');
    expect(await server.exitCode).toBe(1);
    expect(server.output()).toMatch(/already running .* It is a command, process 1 on host first, since /);

    const list = runCommand('account', 'list');
    await waitFor('the second command to wait', () => list.output().includes('Waiting for the store'));
    await first.stop();
    expect(await list.exitCode, list.output()).toBe(0);
  });

  it('have one winner when three start at once after a kill', async () => {
    const killed = startOwner('killed');
    const { url } = await waitForAnswer(killed);
    expect(url).toBeDefined();
    await killed.kill();
    const owners = ['one', 'two', 'three'].map((name) => startOwner(name));
    const answers = await Promise.all(owners.map(waitForAnswer));
    expect(answers.filter((answer) => answer.url)).toHaveLength(1);
    for (const { error } of answers.filter((answer) => answer.error)) expect(error).toContain('already running');
  });

  it('do not start a second PostgreSQL while an orphaned one is running', async () => {
    const orphaned = startOwner('outliving', { outlives: true });
    const { url } = await waitForAnswer(orphaned);
    await orphaned.killProgram();
    expect(await findRunningUrl(folder)).toBeNull();
    const log = pino({ level: 'silent' });
    await expect(startEmbeddedPostgres({ dataDir: folder, log, stillInUseMs: 0 })).rejects.toThrow(
      'It runs in another container that shares the folder',
    );
    expect(await queryRows(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await orphaned.kill();
    expect(await queryRows((await startEmbedded(folder)).url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});
