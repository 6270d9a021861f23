import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { examine } from '../../../src/cli/doctor/doctor.js';
import { startEmbeddedPostgres } from '../../../src/platform/embedded/embedded-postgres.js';
import { ServerStartError } from '../../../src/platform/embedded/server/server.js';
import { isStoreUnreachable } from '../../../src/platform/store/failures.js';
import { queryRows, removeFolder, requirePostmasterPid } from '../../support/processes/embedded-folders.js';
import { describeSmallDisk, mountSmallDisk } from '../../support/processes/small-disk.js';
import { waitFor } from '../../support/wait-for.js';

// The tests start PostgreSQL several times, possibly on a busy machine.
const LOG = `2026-11-28 05:00:00.000 UTC [12] LOG:  starting PostgreSQL
2026-11-28 05:00:00.001 UTC [13] FATAL:  could not write to file "pg_wal/xlogtemp.13": No space left on device
2026-11-28 05:00:00.002 UTC [12] LOG:  shutting down`;

describe('ServerStartError', () => {
  it("names the full disk first, then PostgreSQL's error", () => {
    const disk = { folder: '/data/postgres', freeBytes: 3_500_000, totalBytes: 512_000_000 };
    expect(new ServerStartError(LOG, '/data/postgres.log', disk).message).toBe(
      'PostgreSQL did not start, because the disk of /data/postgres is full (3 MB of 512 MB are free). Free some space, then start again.\n' +
        'FATAL:  could not write to file "pg_wal/xlogtemp.13": No space left on device\n' +
        'Its log is /data/postgres.log.',
    );
  });

  it('shows the line that ended the server, or the end of the log', () => {
    expect(new ServerStartError(LOG, 'LOG', null).message).toMatch(
      /^PostgreSQL did not start\. FATAL: {2}could not write/,
    );
    const long = Array.from({ length: 30 }, (_, line) => `line ${line}`).join('\n');
    expect(new ServerStartError(long, 'LOG', null).message.split('\n')).toHaveLength(7);
  });
});

describeSmallDisk('the embedded PostgreSQL on a full disk', () => {
  it('restarts once there is space, while the log, a new start and the doctor name the disk', async () => {
    const disk = mountSmallDisk('512m');
    const dataDir = join(disk.path, 'data');
    onTestFinished(async () => {
      await removeFolder(dataDir, join(dataDir, 'postgres'));
      disk.unmount();
    });
    const lines: string[] = [];
    const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line).msg) });
    const postgres = await startEmbeddedPostgres({ dataDir, log });
    onTestFinished(() => postgres.close());
    chmodSync(dataDir, 0o755);
    let fatalError: unknown = null;
    postgres.closed.catch((error: unknown) => {
      fatalError = error;
    });

    disk.fill();
    // SIGQUIT stops PostgreSQL as if it could not write its WAL, so its recovery needs disk space.
    process.kill(requirePostmasterPid(dataDir), 'SIGQUIT');
    await waitFor('the full disk to be logged', () => lines.some((line) => line.includes('is full')));
    const diskReport = lines.find((line) => line.includes('is full'));
    expect(diskReport).toContain(`the disk of ${join(dataDir, 'postgres')} is full (0 MB of 536 MB are free)`);
    const failure = await queryRows(postgres.url, 'SELECT 1').catch((error: unknown) => error);
    expect(failure instanceof Error ? isStoreUnreachable(failure) : 'answers').toBe(true);

    const findings = await examine({ DATA_DIR: dataDir, PATH: process.env.PATH });
    const findingsByCheck = Object.fromEntries(
      findings.map(({ check, severity, text }) => [check, { severity, text }]),
    );
    expect(findingsByCheck['disk.free']?.severity).toBe('error');
    expect(findingsByCheck['store.reachable']?.text).toMatch(/because the disk of .* is full/);

    expect(fatalError).toBeNull();
    expect(lines.filter((line) => line.includes('is full'))).toHaveLength(1);

    disk.makeRoom();
    await waitFor('PostgreSQL to run again', () => lines.includes('PostgreSQL is running again'));
    expect(await queryRows(postgres.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);

    await postgres.close();
    const logFile = join(dataDir, 'postgres.log');
    const previousSize = readFileSync(logFile, 'utf8').length;
    disk.fill();
    const refusal = await startEmbeddedPostgres({ dataDir, log }).then(
      (started) => started.close(),
      (error: Error) => error.message.split('\n'),
    );
    expect(refusal?.[0]).toMatch(/disk .*is full/);
    // A connection attempt before PostgreSQL is ready would add an error to its log.
    const logged = readFileSync(logFile, 'utf8').slice(previousSize);
    expect(logged.match(/the database system is starting up/g)).toBeNull();
  });
});
