import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { urlOfRunning } from '../../src/platform/embedded/running.js';
import { isAlive } from '../../src/platform/embedded/server/postmaster.js';
import { closersOfEachTest } from '../support/for-suite.js';
import { openFolder } from '../support/open-folder.js';
import { postmasterPid } from '../support/processes/embedded-folders.js';
import { allGone, type MemberPid, membersOf, processes, replaced } from '../support/processes/members.js';
import { type ServerProcess, startServerProcess } from '../support/processes/server-process.js';
import { DueWatch, readDemo, Senders } from '../support/storms.js';
import { waitFor } from '../support/wait-for.js';

const closers = closersOfEachTest();

/** Of one SMS of one part on the standard rate card. */
const PRICE = 0.01;
const AT_ONCE = 12;

/** What there was before the first message of a test: the example that a first start makes. */
interface Before {
  messages: number;
  balance: number;
}

interface Opened {
  dataDir: string;
  apiKey: string;
  server: ServerProcess;
  /** Starts it again on the same folder. */
  start(): Promise<ServerProcess>;
  /** Of the embedded store. */
  url(): Promise<string>;
}

/** Three processes on an embedded store, unless told: the first sends, the others serve. */
async function open(further: Readonly<Record<string, string>> = {}): Promise<Opened> {
  const dataDir = openFolder('heliograph-several-');
  closers.push(() => rm(dataDir, { recursive: true, force: true }));
  const settings = {
    DATA_DIR: dataDir,
    PROCESSES: '3',
    DATABASE_POOL_SIZE: '15',
    RATE_LIMIT_PER_SECOND: '0',
    SIMULATOR_DELAY_MS: '20',
    ...further,
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
  return { dataDir, apiKey, server, start, url: async () => (await urlOfRunning(dataDir)) as string };
}

function livesOf(server: ServerProcess): () => void {
  return () => {
    if (server.process.exitCode !== null) throw new Error(`the server ended:\n${server.output()}`);
  };
}

/** The processes that a server has started, its PostgreSQL among them. */
async function childrenOf(server: ServerProcess): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,stat=']);
  const rows = stdout.split('\n').map((line) => line.trim().split(/ +/));
  return rows
    .filter(([, parent, state]) => Number(parent) === server.process.pid && !state?.startsWith('Z'))
    .map(([pid]) => Number(pid));
}

/** Every message that was acknowledged came to one end, and was charged once. */
async function expectOnce(senders: Senders, store: Opened, server: ServerProcess, before: Before): Promise<void> {
  const due = new DueWatch(await store.url());
  try {
    await due.expectAllFinal({ timeoutMs: 90_000, lives: livesOf(server) });
    const ids = [...senders.acknowledged];
    expect(await due.statusesOf(ids)).toEqual({ delivered: ids.length });
    expect(await due.countAll()).toBe(before.messages + ids.length);
    expect(Math.round((before.balance - (await senders.balance())) / PRICE)).toBe(ids.length);
  } finally {
    await due.close();
  }
}

/** How often messages were handed to the carrier. */
async function attempts(url: string): Promise<{ messages: number; attempts: number }> {
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

describe('several processes of one start', () => {
  it('lose no message and send none twice while one that serves and the one that sends are killed', {
    timeout: 300_000,
  }, async () => {
    const opened = await open();
    const { server, apiKey } = opened;
    const senders = new Senders({ baseUrl: server.baseUrl, apiKey, at: AT_ONCE });
    const before = { balance: await senders.balance(), ...(await attempts(await opened.url())) };
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
    await senders.stop(livesOf(server));
    await expectOnce(senders, opened, server, before);
    const all = await attempts(await opened.url());
    // What the process had in hand that was killed is tried again; all else went out once.
    expect(all.attempts).toBeLessThan(all.messages + 1_000);
    expect(server.output()).toContain('process 3 ended with SIGKILL: starting another');
  });

  it('end with the first one when that is killed, and the next start takes the embedded store over', {
    timeout: 300_000,
  }, async () => {
    const opened = await open();
    const { server, apiKey, dataDir } = opened;
    const members = await membersOf(server);
    const postgres = postmasterPid(`${dataDir}/postgres`) as number;
    const senders = new Senders({ baseUrl: server.baseUrl, apiKey, at: AT_ONCE });
    const before = { balance: await senders.balance(), ...(await attempts(await opened.url())) };
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
    await senders.stop(livesOf(again));
    await expectOnce(senders, opened, again, before);
    expect(await again.stop()).toBe(0);
    await waitFor('the store to be stopped', () => postmasterPid(`${dataDir}/postgres`) === null);
  });

  it('reset no request at SIGTERM, and end all', { timeout: 240_000 }, async () => {
    const { server, apiKey, dataDir, url, start } = await open();
    const members = await membersOf(server);
    const { messages: there } = await attempts(await url());
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
    // A connection that was reset had carried no request: there is no message that nobody was told of.
    await start();
    expect((await attempts(await url())).messages - there).toBe(load.answered());
  });

  it('are restarted one by one at SIGHUP without a request that is refused or fails', {
    timeout: 300_000,
  }, async () => {
    const { server, apiKey, url } = await open();
    const before = await membersOf(server);
    const { messages: there } = await attempts(await url());
    const load = busyClients(server, apiKey, () => true);
    await waitFor('requests to be under way', () => load.answered() > 200);
    server.process.kill('SIGHUP');
    await waitFor('all to be restarted', () => server.output().includes('every process was restarted'));
    const count = load.answered();
    await waitFor('requests to go on', () => load.answered() > count + 200);
    load.stop();
    await load.over();
    expect(load.failures()).toEqual([]);
    const after = await membersOf(server);
    expect(after.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(after.filter(({ pid }) => before.some((old) => old.pid === pid))).toEqual([]);
    const due = new DueWatch(await url());
    closers.push(() => due.close());
    await due.expectAllFinal({ timeoutMs: 60_000, lives: livesOf(server) });
    expect((await attempts(await url())).messages - there).toBe(load.answered());
  });

  it('all end, with a sentence, when one of them dies again and again', { timeout: 240_000 }, async () => {
    const { server } = await open();
    const members = await membersOf(server);
    const second = members.find(({ number }) => number === 2)?.pid;
    const others = (await childrenOf(server)).filter((pid) => pid !== second);
    let last = 0;
    // As soon as it is there: it has to die six times within a minute, however long a start takes.
    const killNext = async () => {
      const next = (await childrenOf(server)).find((pid) => pid !== last && !others.includes(pid));
      if (next) {
        last = next;
        process.kill(next, 'SIGKILL');
      }
      return server.process.exitCode !== null || server.output().includes('cannot go on');
    };
    await waitFor('the end of all', killNext, { intervalMs: 20 });
    expect(await server.ended).toBe(1);
    expect(server.output()).toContain(
      'Heliograph cannot go on. Process 2 ended 6 times within a minute, at last with SIGKILL.',
    );
    await allGone(members.map(({ pid }) => pid));
  });

  it('replace one that hangs', { timeout: 240_000 }, async () => {
    const { server } = await open();
    const hanging = (await membersOf(server))[2] as MemberPid;
    process.kill(hanging.pid, 'SIGSTOP');
    // Of those that connect meanwhile one is handed to it, and has its answer from another once it is killed.
    const asked = Array.from({ length: 10 }, () => processes(server));
    await waitFor('it to be given up', () => server.output().includes('process 3 has said nothing for 30 seconds'));
    expect((await Promise.all(asked)).map(({ of }) => of)).toEqual(Array(10).fill(3));
    await replaced(server, hanging);
  });

  it('let no connection hang that was handed to the only one that serves, where that dies', {
    timeout: 240_000,
  }, async () => {
    const { server } = await open({ PROCESSES: '2' });
    const serving = (await membersOf(server))[1] as MemberPid;
    expect(serving.role).toBe('api');
    process.kill(serving.pid, 'SIGSTOP');
    // The first of them is on its way to the process, the others wait behind it.
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
  /** The connection had carried nothing before. */
  isFresh?: boolean;
}

/** Clients that keep their connections, and each ask again as soon as they are answered. */
function busyClients(server: ServerProcess, apiKey: string, againAfterRefusal = () => false) {
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
        // A connection that nobody took carried no request: it was refused, or waited at a port that nobody listens at any more, and
        // the kernel resets it. Messages are counted against answers afterwards. At a restart one by one there is none of these either.
        const wasNotTaken = outcome.code === 'ECONNREFUSED' || (outcome.code === 'ECONNRESET' && outcome.isFresh);
        if (againAfterRefusal() || !wasNotTaken) failures.push(String(outcome));
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
