import { fork } from 'node:child_process';
import cluster from 'node:cluster';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { VERSION } from '../../src/platform/package-folder.js';
import { Members } from '../../src/process/cluster/members.js';
import type { Member, OpenOrder } from '../../src/process/cluster/orders.js';
import { waitFor } from '../support/wait-for.js';

interface Behaviour {
  refuses?: boolean;
  helloMs?: number;
  readyMs?: number;
}

const place = (file: string) => join(import.meta.dirname, '../support/processes', file);

/** Processes that do no work, in the place of those of a server. */
function open(roles: Member['role'][], options: { cwd?: string; startingSeconds?: number } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'heliograph-members-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'behaviour.json');
  const behave = (behaviour: Behaviour) => writeFileSync(file, JSON.stringify(behaviour));
  behave({});
  process.env.MEMBER_BEHAVIOUR = file;
  cluster.setupPrimary({ exec: place('member.mjs'), args: [], execArgv: [], cwd: options.cwd });
  const said: string[] = [];
  const lost: Error[] = [];
  const plan = roles.map((role, index) => ({
    ...{ number: index + 1, of: roles.length, role },
    ...{ listens: false, isFirst: index === 0 },
  }));
  const members = new Members({
    plan,
    log: pino({ level: 'info' }, { write: (line: string) => said.push(JSON.parse(line).msg) }),
    orderFor: (member) => ({ type: 'open', member }) as OpenOrder,
    timeoutMs: 5_000,
    startingSeconds: options.startingSeconds,
    onLost: (error) => lost.push(error),
    onExit: () => undefined,
  });
  onTestFinished(() => members.end('the test is over'));
  const pids = () => members.living.map(({ pid }) => pid as number);
  const all = () => members.ready === roles.length && members.living.length === roles.length;
  return { members, said, lost, behave, pids, all };
}

/** The longest pause of one that died for the third time, and what it takes to start. */
const AFTER_PAUSE_MS = 3_000;

describe('the processes of a start', () => {
  it('go on as they are where the new ones refuse their settings, and are restarted once those are mended', async () => {
    const { members, said, lost, behave, pids, all } = open(['worker', 'api', 'api']);
    await members.start();
    const before = pids();
    behave({ refuses: true });
    await members.restart();
    expect(pids()).toEqual(before);
    expect(said).toContain('a process could not be restarted: those that run go on as they are');
    behave({});
    await members.restart();
    expect(all()).toBe(true);
    expect(pids().filter((pid) => before.includes(pid))).toEqual([]);
    expect([lost, members.deaths]).toEqual([[], 0]);
  });

  it('are tried again where one that ends first refuses its settings, and end nothing', async () => {
    const { members, said, lost, behave, all } = open(['worker', 'worker']);
    await members.start();
    behave({ refuses: true });
    await members.restart();
    const again = () => said.filter((each) => each.includes('did not start, and ended with exit code 1'));
    await waitFor('a further try', () => again().length >= 2);
    expect(again().map((each) => / in (\S+) s$/.exec(each)?.[1])).toEqual(['1', '2']);
    behave({});
    await waitFor('all to be there', all);
    expect([lost, members.deaths]).toEqual([[], 0]);
  });

  it('are restarted in the pause before one that died is replaced, which then is not replaced twice', async () => {
    const { members, pids, all } = open(['api', 'api']);
    await members.start();
    for (let times = 0; times < 3; times += 1) {
      await waitFor('all to be there', all);
      process.kill(pids()[0] as number, 'SIGKILL');
      await waitFor('it to be gone', () => members.deaths === times + 1);
    }
    await members.restart();
    expect(all()).toBe(true);
    await pause(AFTER_PAUSE_MS);
    expect(members.living).toHaveLength(2);
  });

  it('are restarted during the start once that is over, and each that dies then is replaced once', async () => {
    const { members, behave, pids, all } = open(['worker', 'api']);
    behave({ readyMs: 300 });
    const starting = members.start();
    const restarting = members.restart();
    await starting;
    const before = pids();
    await restarting;
    expect(all()).toBe(true);
    expect(pids().filter((pid) => before.includes(pid))).toEqual([]);
    process.kill(pids()[0] as number, 'SIGKILL');
    await waitFor('it to be gone', () => members.deaths === 1);
    await waitFor('all to be there', all);
    await pause(1_000);
    expect([members.living.length, members.deaths]).toEqual([2, 1]);
  });

  it('end at once where they are told to before they could hear it', async () => {
    const { members, behave } = open(['worker', 'api']);
    behave({ helloMs: 500, readyMs: 60_000 });
    const starting = members.start();
    await members.end('a signal');
    await expect(starting).rejects.toThrow('before it was ready');
    expect(members.living).toEqual([]);
  });

  it('are not waited for where none can be made', async () => {
    const { members } = open(['worker', 'api'], { cwd: '/nowhere' });
    await expect(members.start()).rejects.toThrow(/no process, for none could be made \(spawn .*ENOENT\)/);
    expect(members.living).toEqual([]);
  });

  it('are killed where they live and do not come to do their work', async () => {
    const { members, behave, said, all } = open(['worker', 'api'], { startingSeconds: 2 });
    await members.start();
    behave({ readyMs: 60_000 });
    process.kill(members.living[1]?.pid as number, 'SIGKILL');
    await waitFor('one to be given up', () =>
      said.includes('process 2 has not come to work within 2 seconds: it is killed'),
    );
    behave({});
    await waitFor('all to be there', all);
  });
});

it('a process hears that it is to end where that comes right behind its order', async () => {
  const child = fork(place('joining.mjs'));
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  const store = { url: '', way: {}, folder: null, webhooksVoidUntil: null };
  const member = { number: 1, of: 1, role: 'api', listens: false, isFirst: true };
  child.send({ type: 'open', member, version: VERSION, settings: {}, store });
  child.send({ type: 'end', why: 'a signal', othersListen: false });
  expect(await once(child, 'exit')).toEqual([7, null]);
});
