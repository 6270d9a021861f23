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
import { closersOfEachTest } from '../support/for-suite.js';
import { openFolder } from '../support/open-folder.js';
import { postmasterPid } from '../support/processes/embedded-folders.js';
import { allGone, type MemberPid, membersOf, processes, replaced } from '../support/processes/members.js';
import { type ServerProcess, startServerProcess } from '../support/processes/server-process.js';
import { DueWatch, readDemo, Senders } from '../support/storms.js';
import { waitFor } from '../support/wait-for.js';

const closers = closersOfEachTest();

/** For one part on the standard rate card. */
const PRICE = 0.01;
const AT_ONCE = 12;

/** The state before the test's first message, because the first start creates an example. */
interface InitialState {
  messages: number;
  balance: number;
}

interface Opened {
  dataDir: string;
  apiKey: string;
  server: ServerProcess;
  start(): Promise<ServerProcess>;
  url(): Promise<string>;
}

/** The embedded store has three processes: one sends, the others serve. */
async function open(overrides: Readonly<Record<string, string>> = {}): Promise<Opened> {
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
      const { ready, of } = await processes(server);
      return ready === of;
    };
    await waitFor('all processes to be ready', allReady);
    return server;
  };
  const server = await start();
  const { apiKey } = await readDemo(dataDir);
  return { dataDir, apiKey, server, start, url: async () => (await findRunningUrl(dataDir)) as string };
}

function aliveCheck(server: ServerProcess): () => void {
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
  store: Opened,
  server: ServerProcess,
  before: InitialState,
): Promise<void> {
  const watch = new DueWatch(await store.url());
  try {
    await watch.expectAllFinal({ timeoutMs: 90_000, lives: aliveCheck(server) });
    const ids = [...senders.acknowledged];
    expect(await watch.statusesOf(ids)).toEqual({ delivered: ids.length });
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
  it('loses no message and sends none twice when a serving and the sending process are killed', {
    timeout: 300_000,
  }, async () => {
    const opened = await open();
    const { server, apiKey } = opened;
    const senders = new Senders({ baseUrl: server.baseUrl, apiKey, at: AT_ONCE });
    const before = { balance: await senders.balance(), ...(await countAttempts(await opened.url())) };
    senders.start();
    const underWay = async () => {
      const { size } = senders.acknowledged;
      await waitFor('messages to be acknowledged', () => senders.acknowledged.size > size + 200);
    };
    await underWay();
    const [first, , third] = (await membersOf(server)) as [MemberPid, MemberPid, MemberPid];
    expect([first.role, third.role]).toEqual(['worker', 'api']);
    process.kill(third.pid, 'SIGKILL');
    await underWay();
    await replaced(server, third);
    process.kill(first.pid, 'SIGKILL');
    await underWay();
    await replaced(server, first);
    await underWay();
    await senders.stop(aliveCheck(server));
    await expectDeliveredOnce(senders, opened, server, before);
    const all = await countAttempts(await opened.url());
    // Only the messages that the killed process was sending are attempted again.
    expect(all.attempts).toBeLessThan(all.messages + 1_000);
    expect(server.output()).toContain('process 3 ended with SIGKILL: starting another');
  });

  it('ends when the primary process is killed, and the next start takes over the embedded store', {
    timeout: 300_000,
  }, async () => {
    const opened = await open();
    const { server, apiKey, dataDir } = opened;
    const members = await membersOf(server);
    const postgres = postmasterPid(`${dataDir}/postgres`) as number;
    const senders = new Senders({ baseUrl: server.baseUrl, apiKey, at: AT_ONCE });
    const before = { balance: await senders.balance(), ...(await countAttempts(await opened.url())) };
    senders.start();
    await waitFor('messages to be acknowledged', () => senders.acknowledged.size > 200);
    server.process.kill('SIGKILL');
    await server.ended;
    await allGone(members.map(({ pid }) => pid));
    expect(isAlive(postgres)).toBe(true);

    const again = await startServerProcess({
      settings: {
        DATA_DIR: dataDir,
        PROCESSES: '3',
        DATABASE_POOL_SIZE: '15',
        RATE_LIMIT_PER_SECOND: '0',
        PORT: new URL(server.baseUrl).port,
      },
    });
    closers.push(() => again.stop());
    expect(isAlive(postgres)).toBe(false);
    await senders.stop(aliveCheck(again));
    await expectDeliveredOnce(senders, opened, again, before);
    expect(await again.stop()).toBe(0);
    await waitFor('the store to be stopped', () => postmasterPid(`${dataDir}/postgres`) === null);
  });

  it('resets no request on SIGTERM, and ends all processes', { timeout: 240_000 }, async () => {
    const { server, apiKey, dataDir, url, start } = await open();
    const members = await membersOf(server);
    const { messages: there } = await countAttempts(await url());
    const load = busyClients(server, apiKey);
    await waitFor('requests to be under way', () => load.answered() > 200);
    server.process.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    await load.over();
    expect(load.failures()).toEqual([]);
    await allGone(members.map(({ pid }) => pid));
    expect(postmasterPid(`${dataDir}/postgres`)).toBeNull();
    for (const { number } of members) {
      expect(server.output()).toMatch(new RegExp(`"process":${number},"msg":"Heliograph has ended"`));
    }
    // No reset connection had carried a request: the number of messages equals the number of responses.
    await start();
    expect((await countAttempts(await url())).messages - there).toBe(load.answered());
  });

  it('restarts all processes one by one on SIGHUP without a failed request', {
    timeout: 300_000,
  }, async () => {
    const { server, apiKey, url } = await open();
    const before = await membersOf(server);
    const { messages: there } = await countAttempts(await url());
    const load = busyClients(server, apiKey, () => true);
    await waitFor('requests to be under way', () => load.answered() > 200);
    server.process.kill('SIGHUP');
    await waitFor('all processes to be restarted', () => server.output().includes('all processes were restarted'));
    const count = load.answered();
    await waitFor('requests to go on', () => load.answered() > count + 200);
    load.stop();
    await load.over();
    expect(load.failures()).toEqual([]);
    const after = await membersOf(server);
    expect(after.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(after.filter(({ pid }) => before.some((old) => old.pid === pid))).toEqual([]);
    const watch = new DueWatch(await url());
    closers.push(() => watch.close());
    await watch.expectAllFinal({ timeoutMs: 60_000, lives: aliveCheck(server) });
    expect((await countAttempts(await url())).messages - there).toBe(load.answered());
  });

  it('ends with an explanation when one process keeps crashing', { timeout: 240_000 }, async () => {
    const { server } = await open();
    const members = await membersOf(server);
    const second = members.find(({ number }) => number === 2)?.pid;
    const otherPids = (await listChildren(server)).filter((pid) => pid !== second);
    let last = 0;
    // Kills each replacement immediately: six crashes must happen within a minute.
    const killNext = async () => {
      const next = (await listChildren(server)).find((pid) => pid !== last && !otherPids.includes(pid));
      if (next) {
        last = next;
        process.kill(next, 'SIGKILL');
      }
      return server.process.exitCode !== null || server.output().includes('cannot continue');
    };
    await waitFor('the end of all', killNext, { intervalMs: 20 });
    expect(await server.ended).toBe(1);
    expect(server.output()).toContain(
      'Heliograph cannot continue. Process 2 ended 6 times within a minute, the last time with SIGKILL.',
    );
    await allGone(members.map(({ pid }) => pid));
  });

  it('replaces a process that hangs', { timeout: 240_000 }, async () => {
    const { server } = await open();
    const hanging = (await membersOf(server))[2] as MemberPid;
    process.kill(hanging.pid, 'SIGSTOP');
    // The hanging process gets one of these connections. After it is killed, another process responds.
    const requests = Array.from({ length: 10 }, () => processes(server));
    await waitFor('the process to be killed', () =>
      server.output().includes('process 3 has not responded for 30 seconds'),
    );
    expect((await Promise.all(requests)).map(({ of }) => of)).toEqual(Array(10).fill(3));
    await replaced(server, hanging);
  });

  it('closes pending connections when its only serving process is killed', {
    timeout: 240_000,
  }, async () => {
    const { server } = await open({ PROCESSES: '2' });
    const serving = (await membersOf(server))[1] as MemberPid;
    expect(serving.role).toBe('api');
    process.kill(serving.pid, 'SIGSTOP');
    // The first connection is being passed to the process; the others wait in the queue.
    const { hostname, port } = new URL(server.baseUrl);
    const sockets = Array.from({ length: 5 }, () => connect(Number(port), hostname));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    const closed = sockets.map((socket) => new Promise((resolve) => socket.on('error', () => {}).on('close', resolve)));
    process.kill(serving.pid, 'SIGKILL');
    await Promise.all(closed);
    await replaced(server, serving);
  });
});

interface SendError extends NodeJS.ErrnoException {
  isFresh?: boolean;
}

function busyClients(server: ServerProcess, apiKey: string, failsOnRefusal = () => false) {
  const agent = new Agent({ keepAlive: true });
  closers.push(async () => agent.destroy());
  const failures: string[] = [];
  let answered = 0;
  let stopped = false;
  const send = (): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
      const sent = request(`${server.baseUrl}/v2/send`, { method: 'POST', agent, headers }, (answer) => {
        answer.on('error', reject);
        answer.on('end', () => resolve(answer.statusCode ?? 0));
        answer.resume();
      });
      sent.on('error', (error) => reject(Object.assign(error, { isFresh: !sent.reusedSocket })));
      sent.end(JSON.stringify({ to: '15005550100', from: 'Several', channel: 'sms', message: 'Does it arrive?' }));
    });
  const all = Array.from({ length: AT_ONCE }, async () => {
    while (!stopped) {
      const outcome = await send().catch((error: SendError) => error);
      if (outcome instanceof Error) {
        // A connection that no process accepted carried no request: it was refused, or the kernel reset it when the port closed. The
        // tests compare messages with responses. During a rolling restart not even this may happen.
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
    over: () => Promise.all(all),
  };
}
