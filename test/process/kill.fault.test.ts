import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openFolder } from '../support/open-folder.js';
import { type ServerProcess, startServerProcess } from '../support/processes/server-process.js';
import { waitFor } from '../support/wait-for.js';

const FINAL = new Set(['delivered', 'read', 'undelivered', 'failed', 'rejected', 'expired', 'canceled']);

describe('kill -9 of the server during 2,000 messages', () => {
  it('after a restart, every accepted message is final, charged once and counted once', async () => {
    const dataDir = openFolder('heliograph-kill-');
    const settings = { DATA_DIR: dataDir, RATE_LIMIT_PER_SECOND: '0', LOG_LEVEL: 'warn', SIMULATOR_DELAY_MS: '200' };
    let server: ServerProcess | undefined;
    try {
      server = await startServerProcess({ settings });
      const { surfaceA, console: opens } = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8'));
      const call = createCaller(surfaceA.apiKey);
      const balanceBefore = (await call(server, '/v1.0/account/balance')).balance;

      const ids: string[] = [];
      let killed = false;
      const sendUntilKilled = async () => {
        while (!killed && ids.length < 2_000) {
          const response = await call(server as ServerProcess, '/v1.0/sms/send', {
            from: 'Kill',
            to: Array.from({ length: 10 }, () => '15005550100').join(','),
            message: 'Does it survive?',
          }).catch(() => null);
          if (response) ids.push(...response.data.map(({ message_id }) => message_id));
          if (ids.length >= 1_990 && !killed) {
            killed = true;
            server?.process.kill('SIGKILL');
          }
        }
      };
      await Promise.all(Array.from({ length: 8 }, sendUntilKilled));
      if (server.process.exitCode === null && server.process.signalCode === null) await once(server.process, 'exit');

      server = await startServerProcess({ settings });
      const restarted = server;
      const openIds = new Set(ids);
      await waitFor(
        'every accepted message to be final',
        async () => {
          const checkStatus = async (id: string) => {
            const { status } = await call(restarted, `/v1.0/sms/status/${id}`);
            if (FINAL.has(status)) openIds.delete(id);
          };
          await Promise.all([...openIds].slice(0, 50).map(checkStatus));
          return openIds.size === 0;
        },
        { intervalMs: 50 },
      );

      // Each of the 8 senders may have lost the response to ten messages, which are charged but unknown to the sender.
      const balanceAfter = (await call(restarted, '/v1.0/account/balance')).balance;
      const charged = Math.round((balanceBefore - balanceAfter) / 0.01);
      expect(ids.length).toBeGreaterThanOrEqual(1_990);
      expect(charged).toBeGreaterThanOrEqual(ids.length);
      expect(charged).toBeLessThanOrEqual(ids.length + 8 * 10);

      const readCurrentTotals = createTotalsReader(restarted, await signIn(restarted, opens.signInUrl));
      // Messages whose response was lost may not be final yet.
      await waitFor(
        'every message to be counted as delivered',
        async () => (await readCurrentTotals()).delivered >= charged,
      );
      const { accepted, sent, delivered, ...otherCounts } = await readCurrentTotals();
      expect({ accepted, sent, delivered }).toEqual({ accepted: charged, sent: charged, delivered: charged });
      expect(Object.values(otherCounts).filter((number) => number !== 0)).toEqual([]);
    } finally {
      await server?.stop('SIGTERM');
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});

interface ApiResponse {
  status: string;
  balance: number;
  data: { message_id: string }[];
}

function createCaller(apiKey: string) {
  return async (server: ServerProcess, path: string, body?: unknown): Promise<ApiResponse> => {
    const response = await fetch(server.baseUrl + path, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${apiKey}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      body: body ? JSON.stringify(body) : undefined,
    });
    expect(response.status).toBe(200);
    return (await response.json()) as ApiResponse;
  };
}

async function signIn({ baseUrl }: ServerProcess, link: string): Promise<string> {
  const response = await fetch(`${baseUrl}/admin/v1/session/link`, {
    method: 'POST',
    headers: { origin: baseUrl, 'content-type': 'application/json' },
    body: JSON.stringify({ token: link.split('#token=')[1] }),
  });
  expect(response.status).toBe(200);
  return response.headers.getSetCookie()[0]?.split(';')[0] as string;
}

type Totals = Record<string, number> & Record<'accepted' | 'sent' | 'delivered', number>;

function createTotalsReader({ baseUrl }: ServerProcess, cookie: string) {
  return async (): Promise<Totals> => {
    const from = new Date(Date.now() - 3_600_000).toISOString();
    const response = await fetch(`${baseUrl}/admin/v1/overview?from=${from}`, { headers: { cookie } });
    expect(response.status).toBe(200);
    const { data } = (await response.json()) as { data: { totals: Totals } };
    return data.totals;
  };
}
