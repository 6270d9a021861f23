import { describe, expect, it, onTestFinished } from 'vitest';
import type { Finding } from '../../../src/cli/doctor/finding.js';
import { findingOfAge } from '../../../src/cli/doctor/replica-check.js';
import { freePort } from '../../support/processes/free-port.js';
import { createTestDatabase } from '../../support/store/databases.js';
import { commandsOnTestStore } from '../run.js';

const commands = commandsOnTestStore();

/** What the command finds of a replica at a URL. */
async function found(url: string): Promise<Finding | undefined> {
  const { stdout } = await commands.cliWith({ DATABASE_READ_URL: url }, 'doctor', '--json');
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  return findings.find(({ check }) => check === 'store.replica');
}

describe('heliograph doctor, of DATABASE_READ_URL', () => {
  it('says that the primary is read while nothing answers there', async () => {
    expect(await found(`postgresql://me:hidden@127.0.0.1:${await freePort()}/x`)).toMatchObject({
      severity: 'warning',
      text: expect.stringMatching(
        /^The replica \(DATABASE_READ_URL\) is away, and the primary is read: .*ECONNREFUSED/,
      ),
    });
  });

  it('says that it leads to another store', async () => {
    const { url, drop } = await createTestDatabase();
    onTestFinished(drop);
    expect(await found(url)).toMatchObject({ severity: 'error', text: expect.stringContaining('different databases') });
  });

  it('says that it leads to the primary itself', async () => {
    expect(await found(commands.store.url)).toMatchObject({
      severity: 'warning',
      text: expect.stringContaining('leads to a primary'),
    });
  });
});

describe('the age of a replica', () => {
  const pool = (row: object) => ({ query: async () => ({ rows: [row] }) }) as never;
  const replayed = '2026-01-02T03:04:05Z';
  const age = (isThere: boolean, maxAgeMs = 100) =>
    findingOfAge(pool({ lsn: '0/1' }), pool({ isReplica: true, isThere, replayed }), maxAgeMs);

  it('is told where it has applied all', async () => {
    expect(await age(true)).toMatchObject({
      severity: 'ok',
      text: expect.stringMatching(/^The replica is read: it shows what was \d\.\d\d s ago \(it may be 0\.10 s\)\.$/),
    });
  });

  it('is a warning where it has not by then', async () => {
    expect(await age(false)).toMatchObject({
      severity: 'warning',
      text: expect.stringMatching(
        /is more than .* \(its last transaction is of 2026-01-02T03:04:05Z; .*the primary is read\.$/,
      ),
    });
  });

  it('is not asked of a server that was made a primary beside the store', async () => {
    const promoted = pool({ isReplica: false, isThere: true, replayed, server: '2' });
    expect(await findingOfAge(pool({ lsn: '0/1', server: '1' }), promoted, 100)).toMatchObject({
      severity: 'warning',
      text: expect.stringContaining('a primary that is not the store'),
    });
  });
});
