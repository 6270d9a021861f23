import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AlreadyRunningError, startEmbeddedPostgres } from '../../../src/platform/embedded/embedded-postgres.js';
import { isAlive } from '../../../src/platform/embedded/ownership/postmaster.js';
import { findRunningUrl } from '../../../src/platform/embedded/running-url.js';
import {
  createDataFolder,
  createSharedDataFolder,
  queryRows,
  readPostmasterPid,
  requirePostmasterPid,
  startEmbedded,
  startOwner,
} from '../../support/processes/embedded-folders.js';
import { waitFor } from '../../support/wait-for.js';

// Each test starts PostgreSQL at least once, while other tests may be starting servers too.
const log = pino({ level: 'silent' });

let tableCount = 0;

async function storeRow(url: string | undefined): Promise<string> {
  const table = `answers_${tableCount++}`;
  await queryRows(url, `CREATE TABLE ${table} AS SELECT 42 AS answer`);
  return `SELECT answer FROM ${table}`;
}

const existingFolder = createSharedDataFolder();

describe('the first start of the embedded PostgreSQL', () => {
  it.each([{}, { LANG: 'C', LC_ALL: 'C' }, { LC_ALL: 'de_DE.ISO-8859-1' }])(
    'creates a UTF-8 database with the builtin locale in the environment %j',
    async (locale) => {
      const env = { PATH: process.env.PATH, ...locale };
      const { answer } = await startOwner(createDataFolder(), { env });
      expect(answer.error).toBeUndefined();
      const [settings] = await queryRows(
        answer.url,
        `SELECT length('é'), pg_encoding_to_char(encoding) AS encoding, datlocprovider AS provider, datlocale AS locale
         FROM pg_database WHERE datname = current_database()`,
      );
      expect(settings).toEqual({ length: 1, encoding: 'UTF8', provider: 'b', locale: 'C.UTF-8' });
    },
  );

  it('removes the remains of interrupted first starts', async () => {
    const dataDir = createDataFolder();
    mkdirSync(join(dataDir, 'postgres.new-old001', 'data'), { recursive: true });
    mkdirSync(join(dataDir, 'postgres.new-version-notes'));
    await startEmbedded(dataDir);
    expect(readdirSync(dataDir).filter((name) => name.startsWith('postgres.new-'))).toEqual([
      'postgres.new-version-notes',
    ]);
  });

  it('listens locally only, keeps commits on disk and protects its password', async () => {
    const dataDir = createDataFolder();
    const { url } = await startEmbedded(dataDir);
    const settings = await queryRows<{ name: string; setting: string }>(
      url,
      `SELECT name, setting FROM pg_settings WHERE name IN
       ('listen_addresses', 'unix_socket_directories', 'fsync', 'synchronous_commit', 'password_encryption')`,
    );
    expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toEqual({
      listen_addresses: '127.0.0.1',
      // Only the owner can use the socket, because the data folder has mode 0700.
      unix_socket_directories: `"${join(dataDir, 'postgres')}"`,
      fsync: 'on',
      synchronous_commit: 'on',
      password_encryption: 'scram-sha-256',
    });
    expect(statSync(join(dataDir, 'postgres-password')).mode & 0o777).toBe(0o600);
    const wrongUrl = Object.assign(new URL(url), { password: 'wrong' }).toString();
    await expect(queryRows(wrongUrl, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
  });

  it('is won by exactly one of three concurrent processes', async () => {
    const dataDir = createDataFolder();
    const owners = await Promise.all([startOwner(dataDir), startOwner(dataDir), startOwner(dataDir)]);
    expect(owners.filter(({ answer }) => answer.url)).toHaveLength(1);
    for (const { answer } of owners.filter(({ answer }) => answer.error)) {
      expect(answer.error).toContain('already running');
    }
  });
});

it('the data folder is not writable for others, whatever the umask', async () => {
  const umask = process.umask(0);
  try {
    const dataDir = createDataFolder();
    await startEmbedded(dataDir);
    const writable = readdirSync(dataDir, { withFileTypes: true, recursive: true })
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => (lstatSync(path).mode & 0o002) !== 0 && !lstatSync(path).isSocket());
    expect(writable).toEqual([]);
    expect(statSync(dataDir).mode & 0o777).toBe(0o755);
  } finally {
    process.umask(umask);
  }
});

describe('another start of the embedded PostgreSQL', () => {
  it('finds the data of the previous one', async () => {
    const dataDir = existingFolder;
    const first = await startEmbedded(dataDir);
    const query = await storeRow(first.url);
    await first.close();
    await first.closed;
    expect(readPostmasterPid(join(dataDir, 'postgres'))).toBeNull();
    const second = await startEmbedded(dataDir);
    expect(await queryRows(second.url, query)).toEqual([{ answer: 42 }]);
  });

  it('is refused while another process serves the folder, without disturbing it', async () => {
    const dataDir = existingFolder;
    const owner = await startOwner(dataDir);
    await expect(startEmbeddedPostgres({ dataDir, log })).rejects.toThrow(AlreadyRunningError);
    await expect(startEmbeddedPostgres({ dataDir, log })).rejects.toThrow(
      `${dataDir}. It is a server, process ${owner.process.pid} on host ${hostname()}, since `,
    );
    expect(await queryRows(owner.answer.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await findRunningUrl(dataDir)).toBe(owner.answer.url);
  });

  it('is won by exactly one of three concurrent processes after a kill', async () => {
    const dataDir = existingFolder;
    const owner = await startOwner(dataDir);
    await owner.kill('SIGKILL');
    const owners = await Promise.all([startOwner(dataDir), startOwner(dataDir), startOwner(dataDir)]);
    expect(owners.filter(({ answer }) => answer.url)).toHaveLength(1);
    for (const { answer } of owners.filter(({ answer }) => answer.error)) {
      expect(answer.error).toContain('already running');
    }
  });

  it('replaces the PostgreSQL of a killed process', async () => {
    const dataDir = existingFolder;
    const owner = await startOwner(dataDir);
    const query = await storeRow(owner.answer.url);
    const orphan = requirePostmasterPid(dataDir);
    await owner.kill('SIGKILL');
    expect(isAlive(orphan)).toBe(true);
    expect(await findRunningUrl(dataDir)).toBeNull();
    const next = await startEmbedded(dataDir);
    expect(await queryRows(next.url, query)).toEqual([{ answer: 42 }]);
    expect(isAlive(orphan)).toBe(false);
  });

  it('recovers committed data after PostgreSQL and its process were killed', async () => {
    const dataDir = existingFolder;
    const owner = await startOwner(dataDir);
    const query = await storeRow(owner.answer.url);
    process.kill(requirePostmasterPid(dataDir), 'SIGKILL');
    await owner.kill('SIGKILL');
    const next = await startEmbedded(dataDir);
    expect(await queryRows(next.url, query)).toEqual([{ answer: 42 }]);
  });

  it('ignores a postmaster.pid whose process ID now belongs to another program', async () => {
    const dataDir = existingFolder;
    const owner = await startOwner(dataDir);
    const file = join(dataDir, 'postgres', 'postmaster.pid');
    const [, ...otherLines] = readFileSync(file, 'utf8').split('\n');
    process.kill(requirePostmasterPid(dataDir), 'SIGKILL');
    await owner.kill('SIGKILL');
    writeFileSync(file, [String(process.pid), ...otherLines].join('\n'));
    const next = await startEmbedded(dataDir);
    expect(await queryRows(next.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});

async function startAndKill() {
  const dataDir = existingFolder;
  const { url } = await startEmbedded(dataDir);
  const query = await storeRow(url);
  const killed = requirePostmasterPid(dataDir);
  process.kill(killed, 'SIGKILL');
  return { dataDir, url, query, killed };
}

describe('a running embedded PostgreSQL', () => {
  it('is restarted at the same address after a kill, and keeps its lock', async () => {
    const { dataDir, url, query, killed } = await startAndKill();
    expect(await waitFor('PostgreSQL to answer again', () => queryRows(url, query))).toEqual([{ answer: 42 }]);
    expect(requirePostmasterPid(dataDir)).not.toBe(killed);
    await expect(startEmbeddedPostgres({ dataDir, log })).rejects.toThrow(AlreadyRunningError);
  });

  it('is restarted if it is killed during its start', async () => {
    const { dataDir, url, query, ...first } = await startAndKill();
    let { killed } = first;
    for (let count = 0; count < 2; count += 1) {
      killed = await waitFor(
        'another PostgreSQL to start',
        () => {
          const pid = readPostmasterPid(join(dataDir, 'postgres'));
          return pid !== null && pid !== killed && isAlive(pid) && pid;
        },
        { intervalMs: 1 },
      );
      process.kill(killed, 'SIGKILL');
    }
    expect(await waitFor('PostgreSQL to answer', () => queryRows(url, query))).toEqual([{ answer: 42 }]);
  });

  it('takes its lock again after the connection that holds it was lost', async () => {
    const dataDir = existingFolder;
    const postgres = await startEmbedded(dataDir);
    const findHolder = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted";
    const [before] = await queryRows<{ pid: number }>(postgres.url, findHolder);
    await queryRows(postgres.url, `SELECT pg_terminate_backend(${before?.pid})`);
    await waitFor('the lock to be held again', async () => {
      const [now] = await queryRows<{ pid: number }>(postgres.url, findHolder);
      return now && now.pid !== before?.pid;
    });
    await expect(startEmbeddedPostgres({ dataDir, log })).rejects.toThrow(AlreadyRunningError);
  });

  it('keeps its folder while its process is stopped and has lost its connections', async () => {
    const dataDir = existingFolder;
    const owner = await startOwner(dataDir);
    owner.process.kill('SIGSTOP');
    await queryRows(owner.answer.url, "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'");
    await expect(startEmbeddedPostgres({ dataDir, log })).rejects.toThrow(AlreadyRunningError);
    owner.process.kill('SIGCONT');
    expect(await queryRows(owner.answer.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});

it('the error for an unusable DATA_DIR contains its path', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'heliograph-file-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  // Even root, who ignores file modes, cannot use a file as a folder.
  writeFileSync(join(parent, 'file'), '');
  const dataDir = join(parent, 'file', 'data');
  await expect(startEmbeddedPostgres({ dataDir, log })).rejects.toThrow(`Cannot use DATA_DIR ${dataDir}`);
});
