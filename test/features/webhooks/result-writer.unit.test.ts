import type pg from 'pg';
import { type Logger, pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { DeliveryResult } from '../../../src/features/webhooks/delivery/delivery-store.js';
import { ResultWriter } from '../../../src/features/webhooks/delivery/results/result-writer.js';
import { systemClock } from '../../../src/platform/system-clock.js';

const BAD_ID = 'delivery 3';

function createResult(id: string): DeliveryResult {
  return {
    id,
    webhookId: 'webhook',
    accountId: `account of ${id}`,
    url: 'https://example.com/hook',
    attempts: 0,
    dueAt: new Date(0),
    ok: true,
    statusCode: 204,
    error: null,
    answer: null,
    delayMs: null,
    gone: false,
    endedAt: 0,
  };
}

/** Writes delivery results to a store that never accepts the result with `BAD_ID`. */
async function write(ids: readonly string[], log: Logger) {
  const writtenIds: string[] = [];
  const notifiedAccounts: string[] = [];
  const query = async ({ name, values }: { name: string; values: string[][] }) => {
    if (name !== 'webhooks-record') return { rows: [] };
    const [batch = []] = values;
    if (batch.includes(BAD_ID)) throw Object.assign(new Error('invalid byte sequence'), { code: '22021' });
    writtenIds.push(...batch);
    return { rows: [] };
  };
  const pool = { query } as unknown as pg.Pool;
  const writer = new ResultWriter({
    pool,
    log,
    clock: systemClock,
    onWritten: (accountIds) => void notifiedAccounts.push(...accountIds),
  });
  await Promise.all(ids.map((id) => writer.write(createResult(id))));
  return { writtenIds, notifiedAccounts };
}

describe('ResultWriter', () => {
  it('the result writer writes the other results of a batch if one cannot be written, and logs that one', async () => {
    const logLines: Record<string, unknown>[] = [];
    const log = pino({ level: 'error' }, { write: (line: string) => void logLines.push(JSON.parse(line)) });
    const ids = Array.from({ length: 6 }, (_, index) => `delivery ${index}`);
    const otherIds = ids.filter((id) => id !== BAD_ID);
    const { writtenIds, notifiedAccounts } = await write(ids, log);
    expect(writtenIds).toEqual(otherIds);
    expect(notifiedAccounts).toEqual(otherIds.map((id) => `account of ${id}`));
    expect(logLines.map(({ deliveryId }) => deliveryId)).toEqual([BAD_ID]);
  });
});
