import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { isAlive } from '../../src/platform/embedded/ownership/postmaster.js';
import { findRunningUrl } from '../../src/platform/embedded/running-url.js';
import { closersForEachTest } from '../support/for-suite.js';
import { openFolder } from '../support/open-folder.js';
import { readPostmasterPid } from '../support/processes/embedded-folders.js';
import {
  listMembers,
  type MemberPid,
  readProcessCounts,
  waitForExit,
  waitForReplacement,
} from '../support/processes/members.js';
import { type ServerProcess, startServerProcess } from '../support/processes/server-process.js';
import { QueueWatch, readDemo, Senders } from '../support/storms.js';
import { waitFor } from '../support/wait-for.js';

const closers = closersForEachTest();

/** Price of one part on the standard rate card. */
const PRICE = 0.01;
const CONCURRENCY = 12;

/** State before the test's first message, which is not empty because the first start creates demo data. */
interface InitialState {
  messages: number;
  balance: number;
}

interface RunningCluster {
  dataDir: string;
  apiKey: string;
  server: ServerProcess;
  start(): Promise<ServerProcess>;
  url(): Promise<string>;
}

/** Starts three processes on an embedded store: one process sends, and two serve requests. */
async function openCluster(overrides: Readonly<Record<string, string>> = {}): Promise<RunningCluster> {
  const dataDir = openFolder('heliograph-several-');
  closers.push(() => rm(dataDir, { recursive: true, force: true }));
  const settings = {
    DATA_DIR: dataDir,
    PROCESSES: '3',
    DATABASE_POOL_SIZE: '15',
    RATE_LIMIT_PER_SECOND: '0',
    SIMULATOR_DELAY_MS: '20',
    ...overrides,
  };
  const start = async () => {
    const server = await startServerProcess({ settings });
    closers.push(() => server.stop());
    const allReady = async () => {
      const { ready, of } = await readProcessCounts(server);
      return ready === of;
    };
    await waitFor('all processes to be ready', allReady);
    return server;
  };
  const server = await start();
  const { apiKey } = await readDemo(dataDir);
  return { dataDir, apiKey, server, start, url: async () => (await findRunningUrl(dataDir)) as string };
}

function createAliveCheck(server: ServerProcess): () => void {
  return () => {
    if (server.process.exitCode !== null) throw new Error(`the server ended:\n${server.output()}`);
  };
}

async function listChildren(server: ServerProcess): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,stat=']);
  const rows = stdout.split('\n').map((line) => line.trim().split(/ +/));
  return rows
    .filter(([, parent, state]) => Number(parent) === server.process.pid && !state?.startsWith('Z'))
    .map(([pid]) => Number(pid));
}

async function expectDeliveredOnce(
  senders: Senders,
  store: RunningCluster,
  server: ServerProcess,
  before: InitialState,
): Promise<void> {
  const watch = new QueueWatch(await store.url());
  try {
    await watch.expectAllFinal({ timeoutMs: 90_000, assertAlive: createAliveCheck(server) });
    const ids = [...senders.acknowledged];
    expect(await watch.countStatuses(ids)).toEqual({ delivered: ids.length });
    expect(await watch.countAll()).toBe(before.messages + ids.length);
    expect(Math.round((before.balance - (await senders.balance())) / PRICE)).toBe(ids.length);
  } finally {
    await watch.close();
  }
}

async function countAttempts(url: string): Promise<{ messages: number; attempts: number }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(
      'SELECT count(*)::int AS messages, sum(attempts)::int AS attempts FROM messages',
    );
    return rows[0];
  } finally {
    await client.end();
  }
}

describe('a cluster of processes', () => {
  it('loses no message and sends none twice when a serving and the sending process are killed', async () => {
    const running = await openCluster();
    const { server, apiKey } = running;
    const senders = new Senders({ baseUrl: server.baseUrl, apiKey, concurrency: CONCURRENCY });
    const initial = { balance: await senders.balance(), ...(await countAttempts(await running.url())) };
    senders.start();
    const waitForSends = async () => {
      const { size } = senders.acknowledged;
      await waitFor('messages to be acknowledged', () => senders.acknowledged.size > size + 200);
    };
    await waitForSends();
    const [first, , third] = (await listMembers(server)) as [MemberPid, MemberPid, MemberPid];
    expect([first.role, third.role]).toEqual(['worker', 'api']);
    process.kill(third.pid, 'SIGKILL');
    await waitForSends();
    await waitForReplacement(server, third);
    process.kill(first.pid, 'SIGKILL');
    await waitForSends();
    await waitForReplacement(server, first);
    await waitForSends();
    await senders.stop(createAliveCheck(server));
    await expectDeliveredOnce(senders, running, server, initial);
    const totals = await countAttempts(await running.url());
    // Only the messages that the killed process was sending are attempted again.
    expect(totals.attempts).toBeLessThan(totals.messages + 1_000);
    expect(server.output()).toContain('process 3 ended with SIGKILL: starting another');
  });

  it('ends when the primary process is killed, and the next start takes over the embedded store', async () => {
    const running = await openCluster();
    const { server, apiKey, dataDir } = running;
    const members = await listMembers(server);
    const postgres = readPostmasterPid(`${dataDir}/postgres`) as number;
    const senders = new Senders({ baseUrl: server.baseUrl, apiKey, concurrency: CONCURRENCY });
    const initial = { balance: await senders.balance(), ...(await countAttempts(await running.url())) };
    senders.start();
    await waitFor('messages to be acknowledged', () => senders.acknowledged.size > 200);
    server.process.kill('SIGKILL');
    await server.exitCode;
    await waitForExit(members.map(({ pid }) => pid));
    expect(isAlive(postgres)).toBe(true);

    const secondServer = await startServerProcess({
      settings: {
        DATA_DIR: dataDir,
        PROCESSES: '3',
        DATABASE_POOL_SIZE: '15',
        RATE_LIMIT_PER_SECOND: '0',
        PORT: new URL(server.baseUrl).port,
      },
    });
    closers.push(() => secondServer.stop());
    expect(isAlive(postgres)).toBe(false);
    await senders.stop(createAliveCheck(secondServer));
    await expectDeliveredOnce(senders, running, secondServer, initial);
    expect(await secondServer.stop()).toBe(0);
    await waitFor('the store to be stopped', () => readPostmasterPid(`${dataDir}/postgres`) === null);
  });

  it('resets no request on SIGTERM, and ends all processes', async () => {
    const { server, apiKey, dataDir, url, start } = await openCluster();
    const members = await listMembers(server);
    const { messages: messagesBefore } = await countAttempts(await url());
    const load = startClients(server, apiKey);
    await waitFor('requests to be under way', () => load.answered() > 200);
    server.process.kill('SIGTERM');
    expect(await server.exitCode).toBe(0);
    await load.finish();
    expect(load.failures()).toEqual([]);
    await waitForExit(members.map(({ pid }) => pid));
    expect(readPostmasterPid(`${dataDir}/postgres`)).toBeNull();
    for (const { number } of members) {
      expect(server.output()).toMatch(new RegExp(`"process":${number},"msg":"Heliograph has ended"`));
    }
    // The number of messages must equal the number of responses, because no reset connection had carried a request.
    await start();
    expect((await countAttempts(await url())).messages - messagesBefore).toBe(load.answered());
  });

  it('restarts all processes one by one on SIGHUP without a failed request', async () => {
    const { server, apiKey, url } = await openCluster();
    const membersBefore = await listMembers(server);
    const { messages: messagesBefore } = await countAttempts(await url());
    const load = startClients(server, apiKey, () => true);
    await waitFor('requests to be under way', () => load.answered() > 200);
    server.process.kill('SIGHUP');
    await waitFor('all processes to be restarted', () => server.output().includes('all processes were restarted'));
    const count = load.answered();
    await waitFor('requests to go on', () => load.answered() > count + 200);
    load.stop();
    await load.finish();
    expect(load.failures()).toEqual([]);
    const membersAfter = await listMembers(server);
    expect(membersAfter.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(membersAfter.filter(({ pid }) => membersBefore.some((old) => old.pid === pid))).toEqual([]);
    const watch = new QueueWatch(await url());
    closers.push(() => watch.close());
    await watch.expectAllFinal({ timeoutMs: 60_000, assertAlive: createAliveCheck(server) });
    expect((await countAttempts(await url())).messages - messagesBefore).toBe(load.answered());
  });

  it('ends with an explanation when one process keeps crashing', async () => {
    const { server } = await openCluster();
    const members = await listMembers(server);
    const second = members.find(({ number }) => number === 2)?.pid;
    const otherPids = (await listChildren(server)).filter((pid) => pid !== second);
    let lastKilled = 0;
    // Kills each replacement immediately, because six crashes must happen within a minute.
    const killNext = async () => {
      const next = (await listChildren(server)).find((pid) => pid !== lastKilled && !otherPids.includes(pid));
      if (next) {
        lastKilled = next;
        process.kill(next, 'SIGKILL');
      }
      return server.process.exitCode !== null || server.output().includes('cannot continue');
    };
    await waitFor('the end of all', killNext, { intervalMs: 20 });
    expect(await server.exitCode).toBe(1);
    expect(server.output()).toContain(
      'Heliograph cannot continue. Process 2 ended 6 times within a minute, the last time with SIGKILL.',
    );
    await waitForExit(members.map(({ pid }) => pid));
  });

  it('replaces a process that hangs', async () => {
    const { server } = await openCluster();
    const hanging = (await listMembers(server))[2] as MemberPid;
    process.kill(hanging.pid, 'SIGSTOP');
    // The hanging process receives one of these connections, whose request another process answers after the kill.
    const requests = Array.from({ length: 10 }, () => readProcessCounts(server));
    await waitFor('the process to be killed', () =>
      server.output().includes('process 3 has not responded for 30 seconds'),
    );
    expect((await Promise.all(requests)).map(({ of }) => of)).toEqual(Array(10).fill(3));
    await waitForReplacement(server, hanging);
  });

  it('closes pending connections when its only serving process is killed', async () => {
    const { server } = await openCluster({ PROCESSES: '2' });
    const serving = (await listMembers(server))[1] as MemberPid;
    expect(serving.role).toBe('api');
    process.kill(serving.pid, 'SIGSTOP');
    // The first connection is being passed to the stopped process, and the others wait in the queue.
    const { hostname, port } = new URL(server.baseUrl);
    const sockets = Array.from({ length: 5 }, () => connect(Number(port), hostname));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    const closed = sockets.map((socket) => new Promise((resolve) => socket.on('error', () => {}).on('close', resolve)));
    process.kill(serving.pid, 'SIGKILL');
    await Promise.all(closed);
    await waitForReplacement(server, serving);
  });
});

interface SendError extends NodeJS.ErrnoException {
  isFresh?: boolean;
}

function startClients(server: ServerProcess, apiKey: string, failsOnRefusal = () => false) {
  const agent = new Agent({ keepAlive: true });
  closers.push(async () => agent.destroy());
  const failures: string[] = [];
  let answered = 0;
  let stopped = false;
  const send = (): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
      const clientRequest = request(`${server.baseUrl}/v2/send`, { method: 'POST', agent, headers }, (response) => {
        response.on('error', reject);
        response.on('end', () => resolve(response.statusCode ?? 0));
        response.resume();
      });
      clientRequest.on('error', (error) => reject(Object.assign(error, { isFresh: !clientRequest.reusedSocket })));
      clientRequest.end(
        JSON.stringify({ to: '15005550100', from: 'Several', channel: 'sms', message: 'Does it arrive?' }),
      );
    });
  const clients = Array.from({ length: CONCURRENCY }, async () => {
    while (!stopped) {
      const outcome = await send().catch((error: SendError) => error);
      if (outcome instanceof Error) {
        // A connection that was refused, or that the kernel reset when the port closed, carried no request. During a rolling
        // restart, even a connection without a request must not fail.
        const wasNeverAccepted = outcome.code === 'ECONNREFUSED' || (outcome.code === 'ECONNRESET' && outcome.isFresh);
        if (failsOnRefusal() || !wasNeverAccepted) failures.push(String(outcome));
        return;
      }
      answered += 1;
      if (outcome !== 200) failures.push(`status ${outcome}`);
    }
  });
  return {
    answered: () => answered,
    failures: () => failures,
    stop: () => {
      stopped = true;
    },
    finish: () => Promise.all(clients),
  };
}
