import type pg from 'pg';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { CallLog } from '../../../src/carriers/http/call-log.js';
import { systemClock } from '../../../src/platform/system-clock.js';

it('a sign-in code is hidden in the logged calls of its message, in every encoding', async () => {
  const statements: unknown[] = [];
  const pool = { query: async (statement: unknown) => void statements.push(statement) } as unknown as pg.Pool;
  const calls = new CallLog({ pool, log: pino({ level: 'silent' }), clock: systemClock });
  const messageId = '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55';
  const utf16 = Buffer.from('It is 4711', 'utf16le').swap16().toString('hex');
  await calls.withHiddenSecret(messageId, '4711', async () =>
    calls.createSink('vendor', []).record({
      call: { method: 'GET', url: new URL('https://carrier.example/send?text=It+is+4711'), messageId },
      content: `{"text":"It is 4711","hex":"${Buffer.from('4711').toString('hex')}","utf16":"${utf16}"}`,
      answer: { status: 400, headers: {}, text: 'refused: It is 4711' },
      failure: null,
      milliseconds: 1,
    }),
  );
  await calls.close();
  const text = JSON.stringify(statements);
  expect(text).toContain('It is ****');
  for (const encodedCode of ['4711', Buffer.from('4711').toString('hex'), utf16])
    expect(text).not.toContain(encodedCode);
});
