import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ServerProcess, startServerProcess } from '../support/processes/server-process.js';
import { waitFor } from '../support/wait-for.js';

const FINAL = new Set(['delivered', 'read', 'undelivered', 'failed', 'rejected', 'expired', 'canceled']);

describe('kill -9 of the server in the middle of 2,000 accepted messages', () => {
  it('after the next start every accepted one is final, and each was charged once', { timeout: 120_000 }, async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'heliograph-kill-'));
    const settings = { DATA_DIR: dataDir, RATE_LIMIT_PER_SECOND: '0', LOG_LEVEL: 'warn', SIMULATOR_DELAY_MS: '200' };
    let server: ServerProcess | undefined;
    try {
      server = await startServerProcess({ settings });
      const { surfaceA } = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8'));
      const call = caller(surfaceA.apiKey);
      const before = (await call(server, '/v1.0/account/balance')).balance;

      const ids: string[] = [];
      let killed = false;
      const sendUntilKilled = async () => {
        while (!killed && ids.length < 2_000) {
          const answer = await call(server as ServerProcess, '/v1.0/sms/send', {
            from: 'Kill',
            to: Array.from({ length: 10 }, () => '15005550100').join(','),
            message: 'Does it survive?',
          }).catch(() => null);
          if (answer) ids.push(...answer.data.map(({ message_id }) => message_id));
          if (ids.length >= 1_990 && !killed) {
            killed = true;
            server?.process.kill('SIGKILL');
          }
        }
      };
      await Promise.all(Array.from({ length: 8 }, sendUntilKilled));
      if (server.process.exitCode === null && server.process.signalCode === null) await once(server.process, 'exit');

      server = await startServerProcess({ settings });
      const running = server;
      const open = new Set(ids);
      await waitFor(
        'every accepted message to be final',
        async () => {
          for (const id of [...open].slice(0, 200)) {
            const { status } = await call(running, `/v1.0/sms/status/${id}`);
            if (FINAL.has(status)) open.delete(id);
          }
          return open.size === 0;
        },
        { timeoutMs: 60_000, intervalMs: 50 },
      );

      // An answer that the kill cut off may stand for ten committed messages more: charged, but unknown to the caller.
      const after = (await call(running, '/v1.0/account/balance')).balance;
      const charged = Math.round((before - after) / 0.01);
      expect(ids.length).toBeGreaterThanOrEqual(1_990);
      expect(charged).toBeGreaterThanOrEqual(ids.length);
      expect(charged).toBeLessThanOrEqual(ids.length + 8 * 10);
    } finally {
      await server?.stop('SIGTERM');
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});

interface Answer {
  status: string;
  balance: number;
  data: { message_id: string }[];
}

function caller(apiKey: string) {
  return async (server: ServerProcess, path: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(server.baseUrl + path, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${apiKey}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      body: body ? JSON.stringify(body) : undefined,
    });
    expect(response.status).toBe(200);
    return (await response.json()) as Answer;
  };
}
