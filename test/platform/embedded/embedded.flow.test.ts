import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { AlreadyRunningError, startEmbeddedPostgres } from '../../../src/platform/embedded/embedded-postgres.js';
import { claimOrphan, tryLock, urlOf } from '../../../src/platform/embedded/ownership.js';
import { isAlive } from '../../../src/platform/embedded/postmaster.js';
import { urlOfRunning } from '../../../src/platform/embedded/running.js';
import { SteadyClient } from '../../../src/platform/store/connections/client.js';
import {
  ask,
  dataFolder,
  pidOf,
  postmasterPid,
  sharedDataFolder,
  startEmbedded,
  startOwner,
} from '../../support/processes/embedded-folders.js';
import { waitFor } from '../../support/wait-for.js';

// Each test starts PostgreSQL once or several times, beside servers that start.
vi.setConfig({ testTimeout: 120_000 });

const log = pino({ level: 'silent' });

let tables = 0;

/** Stores what no test has stored before. @returns what asks for it, which answers `[{ answer: 42 }]` */
async function store(url: string | undefined): Promise<string> {
  const table = `kept_${tables++}`;
  await ask(url, `CREATE TABLE ${table} AS SELECT 42 AS answer`);
  return `SELECT answer FROM ${table}`;
}

const startedBefore = sharedDataFolder();

describe('the first start', () => {
  it.each([{}, { LANG: 'C', LC_ALL: 'C' }, { LC_ALL: 'de_DE.ISO-8859-1' }])(
    'makes a UTF-8 database with the builtin locale where the environment is %j',
    async (locale) => {
      const env = { PATH: process.env.PATH, ...locale };
      const { answer } = await startOwner(dataFolder(), { env });
      expect(answer.error).toBeUndefined();
      const [found] = await ask(
        answer.url,
        `SELECT length('é'), pg_encoding_to_char(encoding) AS encoding, datlocprovider AS provider, datlocale AS locale
         FROM pg_database WHERE datname = current_database()`,
      );
      expect(found).toEqual({ length: 1, encoding: 'UTF8', provider: 'b', locale: 'C.UTF-8' });
    },
  );

  it('removes what interrupted first starts left, but no folder in which another initdb may be at work', async () => {
    const dataDir = dataFolder();
    const hourAgo = new Date(Date.now() - 3_600_000);
    const age = (...folders: string[]) => {
      for (const folder of folders) utimesSync(join(dataDir, folder), hourAgo, hourAgo);
    };
    for (const name of ['old001', 'busy01', 'young1']) {
      mkdirSync(join(dataDir, `postgres.new-${name}`, 'data'), { recursive: true });
    }
    mkdirSync(join(dataDir, 'postgres.new-version-notes'));
    writeFileSync(join(dataDir, 'postgres.new-old001', 'data', 'PG_VERSION'), '18');
    age('postgres.new-old001/data', 'postgres.new-old001', 'postgres.new-busy01', 'postgres.new-version-notes');
    await startEmbedded(dataDir);
    expect(readdirSync(dataDir).filter((name) => name.startsWith('postgres.new-'))).toEqual([
      'postgres.new-busy01',
      'postgres.new-version-notes',
      'postgres.new-young1',
    ]);
  });

  it('listens on the loopback address and in its own folder only, keeps commits on disk, and keeps its password to itself', async () => {
    const dataDir = dataFolder();
    const { url } = await startEmbedded(dataDir);
    const settings = await ask<{ name: string; setting: string }>(
      url,
      `SELECT name, setting FROM pg_settings WHERE name IN
       ('listen_addresses', 'unix_socket_directories', 'fsync', 'synchronous_commit', 'password_encryption')`,
    );
    expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toEqual({
      listen_addresses: '127.0.0.1',
      // Mode 0700, as its folder of data is.
      unix_socket_directories: `"${join(dataDir, 'postgres')}"`,
      fsync: 'on',
      synchronous_commit: 'on',
      password_encryption: 'scram-sha-256',
    });
    expect(statSync(join(dataDir, 'postgres-password')).mode & 0o777).toBe(0o600);
    const wrong = Object.assign(new URL(url), { password: 'wrong' }).toString();
    await expect(ask(wrong, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
  });

  it('is won by exactly one of three processes that begin at once', async () => {
    const dataDir = dataFolder();
    const owners = await Promise.all([startOwner(dataDir), startOwner(dataDir), startOwner(dataDir)]);
    expect(owners.filter(({ answer }) => answer.url)).toHaveLength(1);
    for (const { answer } of owners.filter(({ answer }) => answer.error)) {
      expect(answer.error).toContain('already running');
    }
  });
});

describe('a further start', () => {
  it('finds what the last one stored', async () => {
    const dataDir = startedBefore;
    const first = await startEmbedded(dataDir);
    const stored = await store(first.url);
    await first.close();
    await first.closed;
    expect(postmasterPid(join(dataDir, 'postgres'))).toBeNull();
    const second = await startEmbedded(dataDir);
    expect(await ask(second.url, stored)).toEqual([{ answer: 42 }]);
  });

  it('is refused while another process serves the folder, which goes on', async () => {
    const dataDir = startedBefore;
    const owner = await startOwner(dataDir);
    await expect(startEmbeddedPostgres({ dataDir, log })).rejects.toThrow(AlreadyRunningError);
    await expect(startEmbeddedPostgres({ dataDir, log })).rejects.toThrow(`${dataDir}. Stop that`);
    expect(await ask(owner.answer.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await urlOfRunning(dataDir)).toBe(owner.answer.url);
  });

  it('takes over the PostgreSQL of a process that was killed', async () => {
    const dataDir = startedBefore;
    const owner = await startOwner(dataDir);
    const stored = await store(owner.answer.url);
    const orphan = pidOf(dataDir);
    await owner.kill('SIGKILL');
    expect(isAlive(orphan)).toBe(true);
    expect(await urlOfRunning(dataDir)).toBeNull();
    const next = await startEmbedded(dataDir);
    expect(await ask(next.url, stored)).toEqual([{ answer: 42 }]);
    expect(isAlive(orphan)).toBe(false);
  });

  it('is left to an owner that is about to lock it, however long the server took to answer', async () => {
    const dataDir = startedBefore;
    const killed = await startOwner(dataDir);
    const { port, password } = new URL(killed.answer.url ?? '');
    const address = { port: Number(port), password };
    await killed.kill('SIGKILL');
    onTestFinished(async () => (await startEmbeddedPostgres({ dataDir, log })).close());
    // As one that recovers for longer than an owner is given.
    const answersAt = performance.now() + 2_500;
    const claim = claimOrphan({
      server: { pid: pidOf(dataDir), port: address.port },
      address: async () => (performance.now() < answersAt ? null : address),
      readyAt: async () => new Date(),
      dataDir,
    });
    const outcome = claim.catch((error: unknown) => error);
    const owner = new SteadyClient({ connectionString: urlOf(address, 'postgres') });
    await owner.connect();
    onTestFinished(() => owner.end());
    await pause(answersAt - performance.now() + 1_000);
    expect([await tryLock(owner), await outcome]).toEqual([true, expect.any(AlreadyRunningError)]);
  });

  it('is left to an owner that is about to lock it, however long ago the server was started that recovered now', async () => {
    const dataDir = startedBefore;
    const killed = await startOwner(dataDir);
    const { port, password } = new URL(killed.answer.url ?? '');
    await killed.kill('SIGKILL');
    onTestFinished(async () => (await startEmbeddedPostgres({ dataDir, log })).close());
    const file = join(dataDir, 'postgres', 'postmaster.pid');
    const anHourAgo = Math.round(Date.now() / 1000) - 3_600;
    const lines = readFileSync(file, 'utf8').split('\n');
    writeFileSync(file, lines.with(2, String(anHourAgo)).join('\n'));
    utimesSync(file, anHourAgo, anHourAgo);
    // PostgreSQL ends all its processes where one crashes, and recovers.
    const crashing = new SteadyClient({ connectionString: urlOf({ port: Number(port), password }, 'postgres') });
    crashing.on('error', () => undefined);
    await crashing.connect();
    const { rows } = await crashing.query('SELECT pg_backend_pid() AS pid');
    process.kill(rows[0].pid, 'SIGKILL');
    const recovered = async () =>
      statSync(file).mtimeMs > anHourAgo * 1_000 && (await ask(killed.answer.url, 'SELECT 1'));
    await waitFor('PostgreSQL to recover', recovered);

    const outcome = startEmbeddedPostgres({ dataDir, log }).catch((error: unknown) => error);
    await pause(500);
    const owner = new SteadyClient({ connectionString: urlOf({ port: Number(port), password }, 'postgres') });
    await owner.connect();
    onTestFinished(() => owner.end());
    expect([await tryLock(owner), await outcome]).toEqual([true, expect.any(AlreadyRunningError)]);
  });

  it('recovers what was committed when PostgreSQL was killed with its process', async () => {
    const dataDir = startedBefore;
    const owner = await startOwner(dataDir);
    const stored = await store(owner.answer.url);
    process.kill(pidOf(dataDir), 'SIGKILL');
    await owner.kill('SIGKILL');
    const next = await startEmbedded(dataDir);
    expect(await ask(next.url, stored)).toEqual([{ answer: 42 }]);
  });

  it('is not held up by a lock file whose number another program has now', async () => {
    const dataDir = startedBefore;
    const owner = await startOwner(dataDir);
    const file = join(dataDir, 'postgres', 'postmaster.pid');
    const [, ...rest] = readFileSync(file, 'utf8').split('\n');
    process.kill(pidOf(dataDir), 'SIGKILL');
    await owner.kill('SIGKILL');
    writeFileSync(file, [String(process.pid), ...rest].join('\n'));
    const next = await startEmbedded(dataDir);
    expect(await ask(next.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});

/** Starts one that is asked to hold something, and kills its first process. */
async function startAndKill() {
  const dataDir = startedBefore;
  const { url } = await startEmbedded(dataDir);
  const question = await store(url);
  const killed = pidOf(dataDir);
  process.kill(killed, 'SIGKILL');
  return { dataDir, url, question, killed };
}

describe('a running PostgreSQL', () => {
  it('is started again at the same address when it is killed, and is still guarded', async () => {
    const { dataDir, url, question, killed } = await startAndKill();
    expect(await waitFor('PostgreSQL to answer again', () => ask(url, question))).toEqual([{ answer: 42 }]);
    expect(pidOf(dataDir)).not.toBe(killed);
    await expect(startEmbeddedPostgres({ dataDir, log })).rejects.toThrow(AlreadyRunningError);
  });

  it('is started again when it is killed while it starts', async () => {
    const { dataDir, url, question, ...first } = await startAndKill();
    let { killed } = first;
    for (let count = 0; count < 2; count += 1) {
      killed = await waitFor(
        'another PostgreSQL to begin',
        () => {
          const pid = postmasterPid(join(dataDir, 'postgres'));
          return pid !== null && pid !== killed && isAlive(pid) && pid;
        },
        { intervalMs: 1 },
      );
      process.kill(killed, 'SIGKILL');
    }
    expect(await waitFor('it to answer', () => ask(url, question))).toEqual([{ answer: 42 }]);
  });

  it('is guarded again when the connection that holds the lock is lost', async () => {
    const dataDir = startedBefore;
    const postgres = await startEmbedded(dataDir);
    const holder = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted";
    const [before] = await ask<{ pid: number }>(postgres.url, holder);
    await ask(postgres.url, `SELECT pg_terminate_backend(${before?.pid})`);
    await waitFor('the lock to be held again', async () => {
      const [now] = await ask<{ pid: number }>(postgres.url, holder);
      return now && now.pid !== before?.pid;
    });
    await expect(startEmbeddedPostgres({ dataDir, log })).rejects.toThrow(AlreadyRunningError);
  });

  it('is given up when another process has taken the folder meanwhile', async () => {
    const dataDir = startedBefore;
    const owner = await startOwner(dataDir);
    const before = pidOf(dataDir);
    owner.process.kill('SIGSTOP');
    // A process that is stopped keeps its connection: it must be cut, as a lost network would.
    await ask(owner.answer.url, "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'");
    const next = await startEmbedded(dataDir);
    owner.process.kill('SIGCONT');
    await waitFor('the first owner to end', () => owner.process.exitCode !== null);
    expect(isAlive(before)).toBe(false);
    expect(await ask(next.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});

it('says which DATA_DIR it cannot use', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'heliograph-file-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  // A file in the place of a folder is refused to root too, whom no mode would keep out.
  writeFileSync(join(parent, 'file'), '');
  const dataDir = join(parent, 'file', 'data');
  await expect(startEmbeddedPostgres({ dataDir, log })).rejects.toThrow(`DATA_DIR ${dataDir} cannot be used`);
});
