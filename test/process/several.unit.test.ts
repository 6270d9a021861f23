import { describe, expect, it } from 'vitest';
import { checkProcesses } from '../../src/cli/doctor/process-check.js';
import { mergeReadings, type Reading, sumOf, textOf } from '../../src/platform/metrics/reading.js';
import { budgetOf, connectionsFor } from '../../src/process/cluster/budget.js';
import { inWords, planMembers } from '../../src/process/cluster/plan.js';
import { ConfigError, loadConfig } from '../../src/process/settings/config.js';
import { availableCores, readQuotas } from '../../src/process/settings/processes.js';

describe('PROCESSES', () => {
  it('is one unless told, a number, or one for each core', () => {
    expect(loadConfig({}).processes).toBe(1);
    expect(loadConfig({ PROCESSES: '4' }).processes).toBe(4);
    expect(loadConfig({ PROCESSES: 'auto' }).processes).toBe(availableCores());
    for (const PROCESSES of ['0', '-1', '1.5', '65', 'all', 'AUTO']) {
      expect(() => loadConfig({ PROCESSES })).toThrow('PROCESSES must be auto, or a whole number from 1 to 64');
    }
  });

  it('leaves one process at the least to serve', () => {
    const message = 'SENDING_PROCESSES must be less than the 2 of PROCESSES: at least one process serves requests';
    expect(() => loadConfig({ PROCESSES: '2', SENDING_PROCESSES: '2' })).toThrow(new RegExp(message));
    expect(() => loadConfig({ PROCESSES: '2', SENDING_PROCESSES: '2' })).toThrow(ConfigError);
    expect(loadConfig({ PROCESSES: '3', SENDING_PROCESSES: '2' }).sendingProcesses).toBe(2);
    expect(loadConfig({ SENDING_PROCESSES: '5' }).processes).toBe(1);
  });

  it('counts the cores that a control group is given time for', () => {
    expect(availableCores(['max 100000\n'], 16)).toBe(16);
    expect(availableCores(['250000 100000\n'], 16)).toBe(3);
    expect(availableCores(['50000 100000\n'], 16)).toBe(1);
    expect(availableCores(['800000 100000\n'], 4)).toBe(4);
    expect(availableCores([], 200)).toBe(64);
    expect(availableCores(['max 100000\n', '300000 100000\n', '200000 100000\n'], 16)).toBe(2);
    // Version 1 says so that there is no limit.
    expect(availableCores(['-1 100000'], 16)).toBe(16);
  });

  it('asks all control groups that this process is within, of both versions', () => {
    const of = (files: Record<string, string>) => readQuotas((path) => files[path] ?? null);
    expect(
      of({
        '/proc/self/cgroup': '0::/system.slice/heliograph.service\n',
        '/sys/fs/cgroup/system.slice/heliograph.service/cpu.max': '150000 100000\n',
        '/sys/fs/cgroup/system.slice/cpu.max': 'max 100000\n',
      }),
    ).toEqual(['150000 100000\n', 'max 100000\n']);
    expect(of({ '/sys/fs/cgroup/cpu.max': '200000 100000\n' })).toEqual(['200000 100000\n']);
    expect(
      of({
        '/proc/self/cgroup': '5:memory:/docker/1\n3:cpu,cpuacct:/docker/1\n0::/\n',
        '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '50000\n',
        '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
      }),
    ).toEqual(['50000 100000']);
  });
});

describe('planMembers', () => {
  const plan = (settings: Record<string, string>) => planMembers(loadConfig(settings));

  it('lets the first ones send and the others serve', () => {
    const members = plan({ PROCESSES: '4', SENDING_PROCESSES: '2' });
    expect(members.map(({ role, listens, isFirst }) => [role, listens, isFirst])).toEqual([
      ['worker', false, false],
      ['worker', false, false],
      ['api', true, true],
      ['api', true, false],
    ]);
    expect(inWords(members)).toBe('4 processes, of which 2 send');
    expect(inWords(plan({ PROCESSES: '2' }))).toBe('2 processes, of which 1 sends');
  });

  it('lets all do the same where ROLE says so', () => {
    const DATABASE_URL = 'postgresql://user@host/db';
    const api = plan({ PROCESSES: '2', ROLE: 'api', DATABASE_URL });
    expect(api.map(({ role, listens, isFirst }) => [role, listens, isFirst])).toEqual([
      ['api', true, true],
      ['api', true, false],
    ]);
    const worker = { PROCESSES: '2', ROLE: 'worker', DATABASE_URL };
    expect(plan(worker).map(({ role, listens }) => [role, listens])).toEqual(Array(2).fill(['worker', false]));
    expect(plan({ ...worker, PORT: '3000' }).map(({ listens }) => listens)).toEqual([true, true]);
    expect(inWords(api)).toBe('2 processes');
  });
});

describe('budgetOf', () => {
  it('gives each process DATABASE_POOL_SIZE where PostgreSQL takes the sum, with one more for a restart', () => {
    expect(budgetOf(2, 40, 135)).toEqual({ poolSize: 40, reduced: null });
    expect(budgetOf(2, 40, 134)).toMatchObject({ poolSize: 39, reduced: expect.stringContaining('may hold 120') });
    expect(budgetOf(4, 40, 97)).toMatchObject({ poolSize: 16 });
  });

  it('refuses where each would have less than the least that works', () => {
    expect(() => budgetOf(5, 40, 97)).toThrow(
      'PostgreSQL takes 97 connections, and 5 processes need 105 at the least: raise its max_connections, or lower PROCESSES.',
    );
  });

  it('asks of an embedded PostgreSQL what it then finds enough', () => {
    for (let processes = 2; processes <= 64; processes += 1) {
      for (const poolSize of [15, 40, 1000]) {
        const { poolSize: each } = budgetOf(processes, poolSize, connectionsFor(processes, poolSize) - 3);
        expect(each).toBeGreaterThanOrEqual(15);
      }
    }
  });
});

describe('mergeReadings', () => {
  const reading = (name: string, across: Reading['across'], values: Reading['values']): Reading => ({
    name,
    help: `${name} in words`,
    type: across === 'sum' ? 'counter' : 'gauge',
    across,
    values,
  });

  it('adds up, numbers and picks, as each metric says', async () => {
    const of = (sent: number, size: number) => [
      reading('sent_total', 'sum', [
        { labels: { lane: 'bulk', kind: 'sms' }, value: sent },
        { labels: { kind: 'sms', lane: 'urgent' }, value: 1 },
      ]),
      reading('pool_size', 'each', [{ labels: {}, value: size }]),
      reading('waiting', 'one', [{ labels: {}, value: 7 }]),
    ];
    const ended = sumOf([of(100, 1), of(10, 2)]);
    const merged = mergeReadings(
      new Map([
        ['ended', ended],
        ['1', of(3, 4)],
        ['2', of(2, 5)],
      ]),
    );
    const lines = (await textOf(merged)).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines).toEqual([
      'sent_total{lane="bulk",kind="sms"} 115',
      'sent_total{kind="sms",lane="urgent"} 4',
      'pool_size{process="1"} 4',
      'pool_size{process="2"} 5',
      'waiting 7',
    ]);
  });

  it('changes nothing of what it was given', () => {
    const one = [reading('sent_total', 'sum', [{ labels: {}, value: 1 }])];
    mergeReadings(
      new Map([
        ['1', one],
        ['2', one],
      ]),
    );
    expect(one[0]?.values).toEqual([{ labels: {}, value: 1 }]);
  });
});

describe('checkProcesses', () => {
  const check = (...rows: [name: string, machine: string, connections: number][]) =>
    checkProcesses({
      query: async () => ({ rows: rows.map(([name, machine, connections]) => ({ name, machine, connections })) }),
    } as unknown as Parameters<typeof checkProcesses>[0]);

  const told = async (...rows: Parameters<typeof check>) =>
    (await check(...rows)).map(({ severity, text }) => [severity, text]);

  it('says nothing where no start has several', async () => {
    expect(await check(['heliograph', '', 9])).toEqual([]);
  });

  it('tells who is connected, by machine, and warns of one that is not', async () => {
    const findings = await told(
      ['heliograph 2/2 api of 41', '10.0.0.1', 7],
      ['heliograph 1/2 worker of 41', '10.0.0.1', 1],
      ['heliograph 1/2 worker of 41', '10.0.0.2', 12],
    );
    expect(findings).toEqual([
      ['ok', '2 of 2 processes on 10.0.0.1 are connected: 1 sends (1 connection), 2 serves (7 connections).'],
      ['warning', '1 of 2 processes on 10.0.0.2 are connected: 1 sends (12 connections).'],
    ]);
  });

  it('tells two starts of a machine apart', async () => {
    const findings = await told(
      ['heliograph 1/2 api of 41', '', 7],
      ['heliograph 2/2 api of 41', '', 7],
      ['heliograph 2/2 worker of 57', '', 5],
    );
    expect(findings).toEqual([
      ['ok', '2 of 2 processes are connected: 1 serves (7 connections), 2 serves (7 connections).'],
      ['warning', '1 of 2 processes are connected: 2 sends (5 connections).'],
    ]);
  });
});
