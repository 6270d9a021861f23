import { describe, expect, it, onTestFinished } from 'vitest';
import type { Finding } from '../../../src/cli/doctor/finding.js';
import { checkReplicaAge } from '../../../src/cli/doctor/replica-check.js';
import { findFreePort } from '../../support/processes/free-port.js';
import { createTestDatabase } from '../../support/store/databases.js';
import { commandsOnTestStore } from '../run.js';

const commands = commandsOnTestStore();

async function checkReplicaAt(url: string): Promise<Finding | undefined> {
  const { stdout } = await commands.cliWith({ DATABASE_READ_URL: url }, 'doctor', '--json');
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  return findings.find(({ check }) => check === 'store.replica');
}

describe('heliograph doctor with DATABASE_READ_URL', () => {
  it('reports that an unreachable replica is not read', async () => {
    expect(await checkReplicaAt(`postgresql://me:hidden@127.0.0.1:${await findFreePort()}/x`)).toMatchObject({
      severity: 'warning',
      text: expect.stringMatching(
        /^The replica \(DATABASE_READ_URL\) is unavailable, so the primary serves its queries: .*ECONNREFUSED/,
      ),
    });
  });

  it('reports that the URL is another store', async () => {
    const { url, drop } = await createTestDatabase();
    onTestFinished(drop);
    expect(await checkReplicaAt(url)).toMatchObject({
      severity: 'error',
      text: expect.stringContaining('different databases'),
    });
  });

  it('reports that the URL is the primary itself', async () => {
    expect(await checkReplicaAt(commands.store.url)).toMatchObject({
      severity: 'warning',
      text: expect.stringContaining('is the primary'),
    });
  });
});

describe('the age of a replica', () => {
  const createPool = (row: object) => ({ query: async () => ({ rows: [row] }) }) as never;
  const replayed = '2026-01-02T03:04:05Z';
  const checkAge = (isThere: boolean, maxAgeMs = 100) =>
    checkReplicaAge(createPool({ lsn: '0/1' }), createPool({ isReplica: true, isThere, replayed }), maxAgeMs);

  it('is shown if it has applied everything', async () => {
    expect(await checkAge(true)).toMatchObject({
      severity: 'ok',
      text: expect.stringMatching(/^The replica is in use; its data is \d\.\d\d s old \(maximum 0\.10 s\)\.$/),
    });
  });

  it('is a warning if it lags behind', async () => {
    expect(await checkAge(false)).toMatchObject({
      severity: 'warning',
      text: expect.stringMatching(
        /is more than .* \(its last transaction is from 2026-01-02T03:04:05Z; .*the primary serves its queries\.$/,
      ),
    });
  });

  it('is not measured on a replica that was promoted', async () => {
    const promoted = createPool({ isReplica: false, isThere: true, replayed, server: '2' });
    expect(await checkReplicaAge(createPool({ lsn: '0/1', server: '1' }), promoted, 100)).toMatchObject({
      severity: 'warning',
      text: expect.stringContaining('a separate primary'),
    });
  });
});
