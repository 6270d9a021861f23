import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { AlreadyRunningError, startEmbeddedPostgres } from '../../../src/platform/embedded/embedded-postgres.js';
import { urlOfRunning } from '../../../src/platform/embedded/running.js';
import { isAlive } from '../../../src/platform/embedded/server/postmaster.js';
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

  it('removes what interrupted first starts left', async () => {
    const dataDir = dataFolder();
    mkdirSync(join(dataDir, 'postgres.new-old001', 'data'), { recursive: true });
    mkdirSync(join(dataDir, 'postgres.new-version-notes'));
    await startEmbedded(dataDir);
    expect(readdirSync(dataDir).filter((name) => name.startsWith('postgres.new-'))).toEqual([
      'postgres.new-version-notes',
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

it('lets nobody else write to the folder, whatever the umask', async () => {
  const before = process.umask(0);
  try {
    const dataDir = dataFolder();
    await startEmbedded(dataDir);
    const writable = readdirSync(dataDir, { withFileTypes: true, recursive: true })
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => (lstatSync(path).mode & 0o002) !== 0 && !lstatSync(path).isSocket());
    expect(writable).toEqual([]);
    expect(statSync(dataDir).mode & 0o777).toBe(0o755);
  } finally {
    process.umask(before);
  }
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
    await expect(startEmbeddedPostgres({ dataDir, log })).rejects.toThrow(
      `${dataDir}. It is a server, process ${owner.process.pid} on host ${hostname()}, since `,
    );
    expect(await ask(owner.answer.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await urlOfRunning(dataDir)).toBe(owner.answer.url);
  });

  it('is won by exactly one of three that begin at once after a kill', async () => {
    const dataDir = startedBefore;
    const owner = await startOwner(dataDir);
    await owner.kill('SIGKILL');
    const owners = await Promise.all([startOwner(dataDir), startOwner(dataDir), startOwner(dataDir)]);
    expect(owners.filter(({ answer }) => answer.url)).toHaveLength(1);
    for (const { answer } of owners.filter(({ answer }) => answer.error)) {
      expect(answer.error).toContain('already running');
    }
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

  it('keeps the folder of a process that is stopped and lost its connections', async () => {
    const dataDir = startedBefore;
    const owner = await startOwner(dataDir);
    owner.process.kill('SIGSTOP');
    await ask(owner.answer.url, "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'");
    await expect(startEmbeddedPostgres({ dataDir, log })).rejects.toThrow(AlreadyRunningError);
    owner.process.kill('SIGCONT');
    expect(await ask(owner.answer.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
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
