import type pg from 'pg';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { releaseLeases } from '../../src/process/startup/release-leases.js';

it('a failure to release leases is logged and does not stop the start', async () => {
  const end = new Date('2026-01-01T00:00:30Z');
  const pool = {
    query: async ({ text }: { text: string }) => {
      if (text.includes('UPDATE')) throw Object.assign(new Error('canceling statement'), { code: '57014' });
      return { rows: [{ end }] };
    },
  } as unknown as pg.Pool;
  const loggedCodes: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => loggedCodes.push(JSON.parse(line).err.code) });
  expect(await releaseLeases(pool, log)).toEqual({ webhooksVoidUntil: end });
  expect(loggedCodes).toEqual(['57014', '57014', '57014', '57014']);
});
