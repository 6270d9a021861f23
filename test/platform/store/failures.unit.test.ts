import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPool, openPrisma } from '../../../src/platform/store/connections/pool.js';
import { isOutcomeUnknown, isStoreUnreachable, isTransient } from '../../../src/platform/store/failures.js';
import { toPublicError } from '../../../src/surfaces/http/errors.js';
import { findFreePort } from '../../support/processes/free-port.js';

const silent = pino({ level: 'silent' });
const closingServer = createServer((socket) => socket.once('data', () => socket.destroy()));

beforeAll(async () => {
  closingServer.listen(0, '127.0.0.1');
  await once(closingServer, 'listening');
});
afterAll(() => closingServer.close());

const catchError = (work: Promise<unknown>) =>
  work.then(
    () => expect.fail('must fail'),
    (error: unknown) => error,
  );

describe('failures of the store', () => {
  it.each(['refuses', 'hangs up on'] as const)(
    'are a 503 if the server %s connections, for pg and for Prisma',
    async (behavior) => {
      const port = behavior === 'refuses' ? await findFreePort() : (closingServer.address() as AddressInfo).port;
      const pool = openPool({ url: `postgresql://user:password@127.0.0.1:${port}/none`, size: 1, log: silent });
      const prisma = openPrisma(pool);
      for (const work of [pool.query('SELECT 1'), prisma.account.findFirst(), prisma.$queryRaw`SELECT 1`]) {
        const publicError = toPublicError(await catchError(work), isStoreUnreachable);
        expect(publicError).toMatchObject({ status: 503, code: 'UNAVAILABLE', fields: [] });
        expect(publicError.message).not.toContain('127.0.0.1');
      }
      await prisma.$disconnect();
      await pool.end();
    },
  );

  it.each(['08006', '57P01', '57P03', '53100', '53200', '53300', '58030', '25006'])(
    'are transient if PostgreSQL reports %s',
    (code) => {
      const error = Object.assign(new Error('x'), { code });
      expect(isStoreUnreachable(error)).toBe(true);
      expect(isTransient(error)).toBe(true);
    },
  );

  it('do not include a missing or unreadable file', () => {
    for (const code of ['ENOENT', 'EACCES', 'EMFILE']) {
      expect(isStoreUnreachable(Object.assign(new Error('x'), { code, syscall: 'open' }))).toBe(false);
    }
  });

  it('leave the outcome unknown after EPIPE, which looks like an SQLSTATE', () => {
    expect(isOutcomeUnknown(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))).toBe(true);
    expect(isOutcomeUnknown(Object.assign(new Error('full'), { code: '53100' }))).toBe(false);
  });

  it.each(['23505', '42P01', '57014'])('do not include %s, which is our own error', (code) => {
    expect(toPublicError(Object.assign(new Error('x'), { code }), isStoreUnreachable).status).toBe(500);
  });
});
