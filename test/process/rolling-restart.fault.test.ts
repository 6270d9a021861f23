import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { closersForEachTest } from '../support/for-suite.js';
import { buildForm } from '../support/media/calls.js';
import { buildFile } from '../support/media/files.js';
import { openFolder } from '../support/open-folder.js';
import { describeNginx, startNginx } from '../support/processes/nginx.js';
import { PROJECT_FOLDER, type ServerProcess, startServerProcess } from '../support/processes/server-process.js';
import { createTestDatabase } from '../support/store/databases.js';
import { readDemo } from '../support/storms.js';
import { waitFor } from '../support/wait-for.js';

const closers = closersForEachTest();

interface RunningServer {
  apiKey: string;
  channelHeaders: Record<string, string>;
  server: ServerProcess;
  start(port?: string): Promise<ServerProcess>;
  countMessages(): Promise<number | undefined>;
}

async function openServer(overrides: Readonly<Record<string, string>> = {}): Promise<RunningServer> {
  const database = await createTestDatabase();
  closers.push(() => database.drop());
  const dataDir = openFolder('heliograph-rolling-');
  closers.push(() => rm(dataDir, { recursive: true, force: true }));
  const settings = {
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    DATABASE_POOL_SIZE: '15',
    SEED_DEMO: 'true',
    RATE_LIMIT_PER_SECOND: '0',
    ...overrides,
  };
  const start = async (port?: string) => {
    const server = await startServerProcess({ settings: { ...settings, ...(port && { PORT: port }) } });
    closers.push(() => server.stop());
    return server;
  };
  const server = await start();
  const { apiKey } = await readDemo(dataDir);
  const { surfaceB } = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'));
  const channelHeaders = {
    'x-api-key': surfaceB.apiKey,
    'x-api-secret': surfaceB.apiSecret,
    'x-channel-id': surfaceB.channelId,
  };
  const pool = new pg.Pool({ connectionString: database.url, max: 1 });
  pool.on('error', () => {});
  closers.push(() => pool.end());
  const countMessages = async () => {
    const { rows } = await pool.query<{ count: number }>('SELECT count(*)::int AS count FROM messages');
    return rows[0]?.count;
  };
  return { apiKey, channelHeaders, server, start, countMessages };
}

interface SendResponse {
  status: number;
  connection: string | undefined;
  reused: boolean;
}

function createSender(baseUrl: string, apiKey: string, agent: Agent) {
  return (): Promise<SendResponse> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
      const clientRequest = request(`${baseUrl}/v2/send`, { method: 'POST', agent, headers }, (response) => {
        const { statusCode: status = 0, headers } = response;
        response.on('error', reject);
        response.on('end', () =>
          resolve({ status, connection: headers.connection, reused: clientRequest.reusedSocket }),
        );
        response.resume();
      });
      clientRequest.on('error', reject);
      clientRequest.end(
        JSON.stringify({ to: '15005550100', from: 'Rolling', channel: 'sms', message: 'Does it arrive?' }),
      );
    });
}

const CONCURRENCY = 20;

describe('a server that receives SIGTERM', () => {
  it('serves one last request on each open connection, with Connection: close, and resets none', async () => {
    // The timeouts are long enough for the whole test on slow machines.
    const { apiKey, server } = await openServer({ SHUTDOWN_TIMEOUT_MS: '60000', SHUTDOWN_DRAIN_MS: '12000' });
    const agents = { resting: new Agent({ keepAlive: true }), busy: new Agent({ keepAlive: true }) };
    closers.push(async () => {
      agents.resting.destroy();
      agents.busy.destroy();
    });
    const send = createSender(server.baseUrl, apiKey, agents.resting);
    const sendAll = () => Promise.all(Array.from({ length: CONCURRENCY }, send));
    await sendAll();
    const failures: string[] = [];
    let responseCount = 0;
    const sendBusily = createSender(server.baseUrl, apiKey, agents.busy);
    const busy = Array.from({ length: CONCURRENCY }, async () => {
      for (;;) {
        const response = await sendBusily().catch((error: NodeJS.ErrnoException) => error);
        if (response instanceof Error) {
          // A refused connection carried no request, so a client can repeat the request on another server.
          if (response.code !== 'ECONNREFUSED') failures.push(String(response));
          return;
        }
        responseCount += 1;
        if (response.status !== 200) failures.push(`status ${response.status}`);
      }
    });
    await waitFor('requests to be under way', () => responseCount > 100);

    server.process.kill('SIGTERM');
    await waitFor('the signal to be heard', () => server.output().includes('SIGTERM'));
    const ready = await fetch(`${server.baseUrl}/health/ready`);
    expect(ready.status).toBe(503);
    expect(await sendAll()).toEqual(Array(CONCURRENCY).fill({ status: 200, connection: 'close', reused: true }));

    expect(await server.exitCode).toBe(0);
    await Promise.all(busy);
    expect(failures).toEqual([]);
  });

  it('ends at once when no connection is open', async () => {
    const { server } = await openServer({ SHUTDOWN_TIMEOUT_MS: '600000', SHUTDOWN_DRAIN_MS: '60000' });
    const start = performance.now();
    expect(await server.stop()).toBe(0);
    expect(performance.now() - start).toBeLessThan(50_000);
  });
});

/** Reads the nginx configuration from docs/run/operations.md, and replaces its addresses with those of the test servers. */
function readDocumentedConfig(addresses: readonly string[]): string {
  const page = readFileSync(join(PROJECT_FOLDER, 'docs/run/operations.md'), 'utf8');
  const [, block] = /^```nginx\n(.*?)^```/ms.exec(page) ?? [];
  if (!block) throw new Error('docs/run/operations.md has no nginx configuration');
  const remaining = [...addresses];
  return block.replace(/server [\d.]+:\d+/g, () => `server ${remaining.shift()}`);
}

describeNginx('two servers behind nginx as configured in operations.md', () => {
  it('lose no request while each is restarted or killed, and send each message once', async () => {
    const { apiKey, server, start, countMessages } = await openServer();
    const servers = [server, await start()];
    const nginx = await startNginx(readDocumentedConfig(servers.map(({ baseUrl }) => new URL(baseUrl).host)));
    closers.push(() => nginx.close());
    const agent = new Agent({ keepAlive: true });
    closers.push(async () => agent.destroy());
    const send = createSender(nginx.baseUrl, apiKey, agent);
    const outcomes: Record<string, number> = {};
    const countAccepted = () => outcomes['200'] ?? 0;
    let isOver = false;
    const senders = Array.from({ length: CONCURRENCY }, async () => {
      while (!isOver) {
        const outcome = await send().then(
          ({ status }) => String(status),
          (error) => String(error),
        );
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      }
    });
    const waitForRequests = async () => {
      const countBefore = countAccepted();
      await waitFor('requests to be under way', () => countAccepted() > countBefore + 100);
    };
    const messagesBefore = await countMessages();
    let last = server;
    for (const server of servers) {
      await waitForRequests();
      expect(await server.stop()).toBe(0);
      last = await start(new URL(server.baseUrl).port);
    }
    await waitForRequests();
    await last.stop('SIGKILL');
    await waitForRequests();
    isOver = true;
    await Promise.all(senders);
    expect(outcomes, nginx.errors()).toEqual({ 200: expect.any(Number) });
    expect(await countMessages()).toBe(Number(messagesBefore) + countAccepted());
  });

  it('receive media uploads, and the protocol from nginx instead of the client', async () => {
    const { channelHeaders, server } = await openServer({ TRUST_PROXY: '127.0.0.1' });
    const { host } = new URL(server.baseUrl);
    const nginx = await startNginx(readDocumentedConfig([host, host]));
    closers.push(() => nginx.close());
    const { payload, headers } = buildForm({ bytes: buildFile('application/pdf', 2_000_000), type: 'application/pdf' });
    const response = await fetch(`${nginx.baseUrl}/api/v1/media`, {
      method: 'POST',
      headers: { ...headers, ...channelHeaders, 'x-forwarded-proto': 'https' },
      body: new Uint8Array(payload),
    });
    expect(response.status, await response.text()).toBe(200);
    expect(response.headers.get('strict-transport-security')).toBeNull();
  });
});
