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
import type { Member, OpenMessage } from '../../src/process/cluster/ipc-messages.js';
import { Members } from '../../src/process/cluster/members.js';
import { waitFor } from '../support/wait-for.js';

interface Behaviour {
  refuses?: boolean;
  helloMs?: number;
  readyMs?: number;
}

const scriptPath = (file: string) => join(import.meta.dirname, '../support/processes', file);

/** Starts processes that do no work. `behave` sets the behavior of processes that are started later. */
function openMembers(roles: Member['role'][], options: { cwd?: string; startingSeconds?: number } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'heliograph-members-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'behaviour.json');
  const behave = (behaviour: Behaviour) => writeFileSync(file, JSON.stringify(behaviour));
  behave({});
  process.env.MEMBER_BEHAVIOUR = file;
  cluster.setupPrimary({ exec: scriptPath('member.mjs'), args: [], execArgv: [], cwd: options.cwd });
  const logged: string[] = [];
  const lost: Error[] = [];
  const plan = roles.map((role, index) => ({
    ...{ number: index + 1, total: roles.length, role },
    ...{ listens: false, logsStartHints: index === 0 },
  }));
  const members = new Members({
    plan,
    log: pino({ level: 'info' }, { write: (line: string) => logged.push(JSON.parse(line).msg) }),
    openMessageFor: (member) => ({ type: 'open', member }) as OpenMessage,
    timeoutMs: 5_000,
    maxStartingSeconds: options.startingSeconds,
    onLost: (error) => lost.push(error),
    onExit: () => undefined,
  });
  onTestFinished(() => members.end('the test has ended'));
  const pids = () => members.living.map(({ pid }) => pid as number);
  const areAllReady = () => members.ready === roles.length && members.living.length === roles.length;
  return { members, logged, lost, behave, pids, areAllReady };
}

/** Milliseconds for the pause after a third crash and the start of a process. */
const AFTER_PAUSE_MS = 3_000;

describe('Members', () => {
  it('leaves running processes alone when new ones reject their settings, and restarts them after a correction', async () => {
    const { members, logged, lost, behave, pids, areAllReady } = openMembers(['worker', 'api', 'api']);
    await members.start();
    const pidsBefore = pids();
    behave({ refuses: true });
    await members.restart();
    expect(pids()).toEqual(pidsBefore);
    expect(logged).toContain('a process could not be restarted; the running processes continue');
    behave({});
    await members.restart();
    expect(areAllReady()).toBe(true);
    expect(pids().filter((pid) => pidsBefore.includes(pid))).toEqual([]);
    expect([lost, members.unexpectedExits]).toEqual([[], 0]);
  });

  it('retries a sending process that rejects its settings, and ends no other process', async () => {
    const { members, logged, lost, behave, areAllReady } = openMembers(['worker', 'worker']);
    await members.start();
    behave({ refuses: true });
    await members.restart();
    const failedStarts = () => logged.filter((line) => line.includes('did not start and ended with exit code 1'));
    await waitFor('another attempt', () => failedStarts().length >= 2);
    expect(failedStarts().map((line) => / in (\S+) s$/.exec(line)?.[1])).toEqual(['1', '2']);
    behave({});
    await waitFor('all processes to be ready', areAllReady);
    expect([lost, members.unexpectedExits]).toEqual([[], 0]);
  });

  it('does not replace a crashed process twice when a restart comes during the pause', async () => {
    const { members, pids, areAllReady } = openMembers(['api', 'api']);
    await members.start();
    for (let times = 0; times < 3; times += 1) {
      await waitFor('all processes to be ready', areAllReady);
      process.kill(pids()[0] as number, 'SIGKILL');
      await waitFor('the crash to be counted', () => members.unexpectedExits === times + 1);
    }
    await members.restart();
    expect(areAllReady()).toBe(true);
    await pause(AFTER_PAUSE_MS);
    expect(members.living).toHaveLength(2);
  });

  it('delays a restart until the start is complete, and replaces a crashed process once afterwards', async () => {
    const { members, behave, pids, areAllReady } = openMembers(['worker', 'api']);
    behave({ readyMs: 300 });
    const starting = members.start();
    const restarting = members.restart();
    await starting;
    const pidsBefore = pids();
    await restarting;
    expect(areAllReady()).toBe(true);
    expect(pids().filter((pid) => pidsBefore.includes(pid))).toEqual([]);
    process.kill(pids()[0] as number, 'SIGKILL');
    await waitFor('the crash to be counted', () => members.unexpectedExits === 1);
    await waitFor('all processes to be ready', areAllReady);
    await pause(1_000);
    expect([members.living.length, members.unexpectedExits]).toEqual([2, 1]);
  });

  it('ends processes at once that are still starting', async () => {
    const { members, behave } = openMembers(['worker', 'api']);
    behave({ helloMs: 500, readyMs: 60_000 });
    const starting = members.start();
    await members.end('a signal');
    await expect(starting).rejects.toThrow('before it was ready');
    expect(members.living).toEqual([]);
  });

  it('fails the start when a process cannot be created', async () => {
    const { members } = openMembers(['worker', 'api'], { cwd: '/nowhere' });
    await expect(members.start()).rejects.toThrow(/a failed fork \(spawn .*ENOENT\)/);
    expect(members.living).toEqual([]);
  });

  it('kills a process that does not get ready in time', async () => {
    const { members, behave, logged, areAllReady } = openMembers(['worker', 'api'], { startingSeconds: 2 });
    await members.start();
    behave({ readyMs: 60_000 });
    process.kill(members.living[1]?.pid as number, 'SIGKILL');
    await waitFor('the process to be killed', () =>
      logged.includes('process 2 was not ready within 2 seconds and will be killed'),
    );
    behave({});
    await waitFor('all processes to be ready', areAllReady);
  });
});

it('a cluster member ends when the end message directly follows the open message', async () => {
  const child = fork(scriptPath('joining.mjs'));
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  const store = { url: '', poolTarget: {}, folder: null, webhooksVoidUntil: null };
  const member = { number: 1, total: 1, role: 'api', listens: false, logsStartHints: true };
  child.send({ type: 'open', member, version: VERSION, settings: {}, store });
  child.send({ type: 'end', reason: 'a signal', othersListen: false });
  expect(await once(child, 'exit')).toEqual([7, null]);
});
