import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPool, openPrisma } from '../../../src/platform/store/connections/pool.js';
import { isStoreAway, isTransient, outcomeUnknown } from '../../../src/platform/store/failures.js';
import { toPublicError } from '../../../src/surfaces/http/errors.js';
import { freePort } from '../../support/processes/free-port.js';

const silent = pino({ level: 'silent' });
/** A server that ends every connection. */
const hangsUp = createServer((socket) => socket.once('data', () => socket.destroy()));

beforeAll(async () => {
  hangsUp.listen(0, '127.0.0.1');
  await once(hangsUp, 'listening');
});
afterAll(() => hangsUp.close());

const thrownBy = (work: Promise<unknown>) =>
  work.then(
    () => expect.fail('must fail'),
    (error: unknown) => error,
  );

describe('a store that cannot be reached is 503, not 500', () => {
  it.each(['refuses', 'hangs up on'] as const)('when it %s connections, by pg and by Prisma', async (how) => {
    const port = how === 'refuses' ? await freePort() : (hangsUp.address() as AddressInfo).port;
    const pool = openPool({ url: `postgresql://user:password@127.0.0.1:${port}/none`, size: 1, log: silent });
    const prisma = openPrisma(pool);
    for (const work of [pool.query('SELECT 1'), prisma.account.findFirst(), prisma.$queryRaw`SELECT 1`]) {
      const shown = toPublicError(await thrownBy(work), isStoreAway);
      expect(shown).toMatchObject({ status: 503, code: 'UNAVAILABLE', fields: [] });
      expect(shown.message).not.toContain('127.0.0.1');
    }
    await prisma.$disconnect();
    await pool.end();
  });

  it.each(['08006', '57P01', '57P03', '53100', '53200', '53300', '58030', '25006'])(
    'when PostgreSQL reports %s',
    (code) => {
      const error = Object.assign(new Error('x'), { code });
      expect(isStoreAway(error)).toBe(true);
      expect(isTransient(error)).toBe(true);
    },
  );

  it('a missing or unreadable file is not a lost store', () => {
    for (const code of ['ENOENT', 'EACCES', 'EMFILE']) {
      expect(isStoreAway(Object.assign(new Error('x'), { code, syscall: 'open' }))).toBe(false);
    }
  });

  it('and a socket that broke says nothing of the outcome, though EPIPE looks like a code of PostgreSQL', () => {
    expect(outcomeUnknown(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))).toBe(true);
    expect(outcomeUnknown(Object.assign(new Error('full'), { code: '53100' }))).toBe(false);
  });

  it.each(['23505', '42P01', '57014'])('and PostgreSQL reporting %s is an error of ours', (code) => {
    expect(toPublicError(Object.assign(new Error('x'), { code }), isStoreAway).status).toBe(500);
  });
});
