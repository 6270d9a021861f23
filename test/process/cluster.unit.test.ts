import { describe, expect, it } from 'vitest';
import { checkProcesses } from '../../src/cli/doctor/process-check.js';
import { formatReadings, mergeReadings, type Reading, sumReadings } from '../../src/platform/metrics/reading.js';
import { divideConnections, embeddedConnectionLimit } from '../../src/process/cluster/connection-budget.js';
import { describePlan, planMembers } from '../../src/process/cluster/plan-members.js';
import { ConfigError, loadConfig } from '../../src/process/settings/config.js';
import { availableCores, readQuotas } from '../../src/process/settings/processes.js';

describe('the setting PROCESSES', () => {
  it('defaults to 1, and accepts a number or auto for one per core', () => {
    expect(loadConfig({}).processes).toBe(1);
    expect(loadConfig({ PROCESSES: '4' }).processes).toBe(4);
    expect(loadConfig({ PROCESSES: 'auto' }).processes).toBe(availableCores());
    for (const PROCESSES of ['0', '-1', '1.5', '65', 'all', 'AUTO']) {
      expect(() => loadConfig({ PROCESSES })).toThrow('PROCESSES must be auto, or a whole number from 1 to 64');
    }
  });

  it('rejects SENDING_PROCESSES that leave no process to serve requests', () => {
    const message =
      'SENDING_PROCESSES must be less than PROCESSES \\(2\\), because at least one process must serve requests';
    expect(() => loadConfig({ PROCESSES: '2', SENDING_PROCESSES: '2' })).toThrow(new RegExp(message));
    expect(() => loadConfig({ PROCESSES: '2', SENDING_PROCESSES: '2' })).toThrow(ConfigError);
    expect(loadConfig({ PROCESSES: '3', SENDING_PROCESSES: '2' }).sendingProcesses).toBe(2);
    expect(loadConfig({ SENDING_PROCESSES: '5' }).processes).toBe(1);
  });

  it('auto respects the CPU quota of the control group', () => {
    expect(availableCores(['max 100000\n'], 16)).toBe(16);
    expect(availableCores(['250000 100000\n'], 16)).toBe(3);
    expect(availableCores(['50000 100000\n'], 16)).toBe(1);
    expect(availableCores(['800000 100000\n'], 4)).toBe(4);
    expect(availableCores([], 200)).toBe(64);
    expect(availableCores(['max 100000\n', '300000 100000\n', '200000 100000\n'], 16)).toBe(2);
    // In version 1 of control groups, -1 means unlimited.
    expect(availableCores(['-1 100000'], 16)).toBe(16);
  });

  it('auto reads the quotas of all parent control groups, in versions 1 and 2', () => {
    const readFrom = (files: Record<string, string>) => readQuotas((path) => files[path] ?? null);
    expect(
      readFrom({
        '/proc/self/cgroup': '0::/system.slice/heliograph.service\n',
        '/sys/fs/cgroup/system.slice/heliograph.service/cpu.max': '150000 100000\n',
        '/sys/fs/cgroup/system.slice/cpu.max': 'max 100000\n',
      }),
    ).toEqual(['150000 100000\n', 'max 100000\n']);
    expect(readFrom({ '/sys/fs/cgroup/cpu.max': '200000 100000\n' })).toEqual(['200000 100000\n']);
    expect(
      readFrom({
        '/proc/self/cgroup': '5:memory:/docker/1\n3:cpu,cpuacct:/docker/1\n0::/\n',
        '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '50000\n',
        '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
      }),
    ).toEqual(['50000 100000']);
  });
});

describe('planMembers', () => {
  const plan = (settings: Record<string, string>) => planMembers(loadConfig(settings));

  it('lets the first processes send and the others serve', () => {
    const members = plan({ PROCESSES: '4', SENDING_PROCESSES: '2' });
    expect(members.map(({ role, listens, logsStartHints }) => [role, listens, logsStartHints])).toEqual([
      ['worker', false, false],
      ['worker', false, false],
      ['api', true, true],
      ['api', true, false],
    ]);
    expect(describePlan(members)).toBe('4 processes, of which 2 send');
    expect(describePlan(plan({ PROCESSES: '2' }))).toBe('2 processes, of which 1 sends');
  });

  it('gives all processes the same role when ROLE is api or worker', () => {
    const DATABASE_URL = 'postgresql://user@host/db';
    const api = plan({ PROCESSES: '2', ROLE: 'api', DATABASE_URL });
    expect(api.map(({ role, listens, logsStartHints }) => [role, listens, logsStartHints])).toEqual([
      ['api', true, true],
      ['api', true, false],
    ]);
    const worker = { PROCESSES: '2', ROLE: 'worker', DATABASE_URL };
    expect(plan(worker).map(({ role, listens }) => [role, listens])).toEqual(Array(2).fill(['worker', false]));
    expect(plan({ ...worker, PORT: '3000' }).map(({ listens }) => listens)).toEqual([true, true]);
    expect(describePlan(api)).toBe('2 processes');
  });
});

describe('divideConnections', () => {
  it('gives each process DATABASE_POOL_SIZE if PostgreSQL allows it, counting one more process for a restart', () => {
    expect(divideConnections(2, 40, 135)).toEqual({ poolSize: 40, warning: null });
    expect(divideConnections(2, 40, 134)).toMatchObject({
      poolSize: 39,
      warning: expect.stringContaining('can use 120'),
    });
    expect(divideConnections(4, 40, 97)).toMatchObject({ poolSize: 16 });
  });

  it('rejects a limit that leaves a process fewer than 15 connections', () => {
    expect(() => divideConnections(5, 40, 97)).toThrow(
      'PostgreSQL allows 97 connections, but 5 processes need at least 105: raise max_connections in PostgreSQL, or lower PROCESSES.',
    );
  });

  it('an embedded PostgreSQL allows enough connections for any number of processes', () => {
    for (let processes = 2; processes <= 64; processes += 1) {
      for (const poolSize of [15, 40, 1000]) {
        const { poolSize: perProcess } = divideConnections(
          processes,
          poolSize,
          embeddedConnectionLimit(processes, poolSize) - 3,
        );
        expect(perProcess).toBeGreaterThanOrEqual(15);
      }
    }
  });
});

describe('mergeReadings', () => {
  const reading = (name: string, across: Reading['aggregation'], values: Reading['values']): Reading => ({
    name,
    help: `Description of ${name}`,
    type: across === 'sum' ? 'counter' : 'gauge',
    aggregation: across,
    values,
  });

  it('sums counters, labels gauges by process, and takes shared gauges once', async () => {
    const readings = (sent: number, size: number) => [
      reading('sent_total', 'sum', [
        { labels: { lane: 'bulk', kind: 'sms' }, value: sent },
        { labels: { kind: 'sms', lane: 'urgent' }, value: 1 },
      ]),
      reading('pool_size', 'each', [{ labels: {}, value: size }]),
      reading('waiting', 'one', [{ labels: {}, value: 7 }]),
    ];
    const exitedReadings = sumReadings([readings(100, 1), readings(10, 2)]);
    const merged = mergeReadings(
      new Map([
        ['ended', exitedReadings],
        ['1', readings(3, 4)],
        ['2', readings(2, 5)],
      ]),
    );
    const lines = (await formatReadings(merged)).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines).toEqual([
      'sent_total{lane="bulk",kind="sms"} 115',
      'sent_total{kind="sms",lane="urgent"} 4',
      'pool_size{process="1"} 4',
      'pool_size{process="2"} 5',
      'waiting 7',
    ]);
  });

  it('does not modify its input', () => {
    const readings = [reading('sent_total', 'sum', [{ labels: {}, value: 1 }])];
    mergeReadings(
      new Map([
        ['1', readings],
        ['2', readings],
      ]),
    );
    expect(readings[0]?.values).toEqual([{ labels: {}, value: 1 }]);
  });
});

describe('checkProcesses', () => {
  const check = (...rows: [name: string, machine: string, connections: number][]) =>
    checkProcesses({
      query: async () => ({ rows: rows.map(([name, machine, connections]) => ({ name, machine, connections })) }),
    } as unknown as Parameters<typeof checkProcesses>[0]);

  const findingsFor = async (...rows: Parameters<typeof check>) =>
    (await check(...rows)).map(({ severity, text }) => [severity, text]);

  it('reports nothing for a server with one process', async () => {
    expect(await check(['heliograph', '', 9])).toEqual([]);
  });

  it('lists connected processes by machine, and warns when one is missing', async () => {
    const findings = await findingsFor(
      ['heliograph 2/2 api of 41', '10.0.0.1', 7],
      ['heliograph 1/2 worker of 41', '10.0.0.1', 1],
      ['heliograph 1/2 worker of 41', '10.0.0.2', 12],
    );
    expect(findings).toEqual([
      ['ok', '2 of 2 processes on 10.0.0.1 are connected: 1 sends (1 connection), 2 serves (7 connections).'],
      ['warning', '1 of 2 processes on 10.0.0.2 are connected: 1 sends (12 connections).'],
    ]);
  });

  it('distinguishes two servers on one machine', async () => {
    const findings = await findingsFor(
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
