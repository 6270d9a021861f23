import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ReadableStore } from '../../../../src/platform/reads/reads.js';
import { ReplicaReads } from '../../../../src/platform/store/servers/replica.js';
import { ReplicaAge } from '../../../../src/platform/store/servers/replica-age.js';
import { withResolvers } from '../../../../src/platform/with-resolvers.js';

interface ServerState {
  name: string;
  applied: number;
  isReplica: boolean;
}

function createPair(maxAgeMs = 1_000) {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const server: ServerState = { name: 'replica', applied: 1, isReplica: true };
  const state = {
    ...{ written: 1, primary: 'primary', isPrimaryAway: false, isAway: false, warned: 0, queryCount: 0 },
    replicaHang: null as Promise<void> | null,
    primaryHang: null as Promise<void> | null,
    server,
  };
  const log = pino({ level: 'silent' });
  log.warn = () => {
    state.warned += 1;
  };
  const refused = () => Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  const primaryPool = {
    query: async () => {
      if (state.isPrimaryAway) throw refused();
      const rows = [{ lsn: state.written, server: state.primary }];
      await state.primaryHang;
      return { rows };
    },
  };
  const age = new ReplicaAge(primaryPool as never, maxAgeMs);
  const createConnection = (target: ServerState) => ({
    query: async () => {
      state.queryCount += 1;
      await state.replicaHang;
      if (state.isAway) throw refused();
      return { rows: [{ lsn: target.applied, isReplica: target.isReplica, server: target.name }] };
    },
    release: () => undefined,
  });
  const connections = [createConnection(server)];
  const connect = async () => {
    const [first] = connections;
    await age.requireRecent(first as never);
    return first;
  };
  const primary = { name: 'primary', pool: primaryPool } as never as ReadableStore;
  const replica = { name: 'replica', pool: { connect } } as never as ReadableStore;
  const reads = new ReplicaReads({ primary, replica, age, log });
  const findSource = () =>
    reads.read(async (store) => {
      const { name } = store as unknown as { name: string };
      if (name === 'replica') await connect();
      return name;
    });
  const reconnect = (changes: Partial<ServerState>) => {
    connections[0] = createConnection(Object.assign(server, changes));
  };
  return {
    state,
    reads,
    findSource,
    reconnect,
    connections,
    advanceTime: (ms: number) => vi.advanceTimersByTime(ms),
  };
}

describe('ReplicaReads', () => {
  it('reads from a replica that has applied everything', async () => {
    const { findSource, reads } = createPair();
    expect(await findSource()).toBe('replica');
    expect(await reads.ageMs()).toBe(0);
  });

  it('reads from the primary while the replica is too old, and from the replica once it has caught up', async () => {
    const { state, findSource, advanceTime } = createPair();
    expect(await findSource()).toBe('replica');
    state.written = 5;
    advanceTime(900);
    expect(await findSource()).toBe('replica');
    advanceTime(600);
    expect(await findSource()).toBe('primary');
    expect(state.warned).toBe(1);
    advanceTime(600);
    expect(await findSource()).toBe('primary');
    expect(state.warned).toBe(1);
    // The replica has reached the position that the primary had a moment ago.
    state.server.applied = 5;
    advanceTime(600);
    expect(await findSource()).toBe('replica');
  });

  it('derives the age from the last position that the replica has reached', async () => {
    const { state, reads, advanceTime } = createPair();
    await reads.ageMs();
    state.written = 2;
    advanceTime(1_000);
    await reads.ageMs();
    state.written = 3;
    state.server.applied = 2;
    advanceTime(1_000);
    expect(await reads.ageMs()).toBe(1_000);
  });

  it('does not use a connection to a server that has applied less than the previous one', async () => {
    const { state, findSource, advanceTime, reconnect } = createPair();
    state.written = 5;
    state.server.applied = 5;
    expect(await findSource()).toBe('replica');
    // Simulates a replica that was killed and restarted while an earlier check is still cached.
    reconnect({ name: 'replica, restarted', applied: 4 });
    advanceTime(100);
    expect(await findSource()).toBe('primary');
    state.server.applied = 5;
    advanceTime(600);
    expect(await findSource()).toBe('replica');
  });

  it('does not use a promoted server, even if its log is longer, but accepts the primary itself', async () => {
    const { findSource, advanceTime, reconnect } = createPair();
    expect(await findSource()).toBe('replica');
    reconnect({ applied: 100, isReplica: false });
    for (let round = 0; round < 3; round += 1) {
      advanceTime(600);
      expect(await findSource()).toBe('primary');
    }
    reconnect({ name: 'primary' });
    advanceTime(600);
    expect(await findSource()).toBe('replica');
  });

  it('does not use a replica that has applied what the primary never wrote, until it is rebuilt', async () => {
    const { state, findSource, advanceTime, reconnect } = createPair();
    state.written = 10;
    state.server.applied = 10;
    expect(await findSource()).toBe('replica');
    // Simulates the promotion of another server that lacks part of the log and that the replica does not follow.
    Object.assign(state, { primary: 'another', written: 8 });
    advanceTime(600);
    await findSource();
    for (const written of [9, 12, 15]) {
      state.written = written;
      advanceTime(600);
      expect(await findSource()).toBe('primary');
    }
    reconnect({ name: 'replica, rebuilt', applied: 15 });
    advanceTime(600);
    expect(await findSource()).toBe('replica');
  });

  it('uses a replica that applies more while the response of the primary is delayed', async () => {
    const { state, findSource, advanceTime } = createPair();
    expect(await findSource()).toBe('replica');
    const { promise, resolve: arrive } = withResolvers();
    state.primaryHang = promise;
    advanceTime(600);
    expect(await findSource()).toBe('replica');
    state.written = 9;
    state.server.applied = 9;
    advanceTime(300);
    expect(await findSource()).toBe('replica');
    arrive();
    state.primaryHang = null;
    for (let round = 0; round < 3; round += 1) {
      advanceTime(600);
      expect(await findSource()).toBe('replica');
    }
  });

  it('uses the replica while the primary is unreachable, up to the maximum age', async () => {
    const { state, findSource, advanceTime } = createPair();
    expect(await findSource()).toBe('replica');
    state.isPrimaryAway = true;
    advanceTime(600);
    expect(await findSource()).toBe('replica');
    advanceTime(600);
    expect(await findSource()).toBe('primary');
    state.isPrimaryAway = false;
    advanceTime(600);
    expect(await findSource()).toBe('replica');
  });

  it('checks a connection again if its cached check has become too old', async () => {
    const { state, findSource, reconnect, connections, advanceTime } = createPair();
    expect(await findSource()).toBe('replica');
    advanceTime(900);
    state.written = 2;
    expect(await findSource()).toBe('replica');
    const [first] = connections;
    state.server.applied = 2;
    advanceTime(60);
    reconnect({});
    expect(await findSource()).toBe('replica');
    advanceTime(60);
    if (first) connections[0] = first;
    expect(await findSource()).toBe('replica');
    advanceTime(60);
    expect(await findSource()).toBe('replica');
  });

  it('supports a maximum age of a tenth of a second', async () => {
    const { state, findSource, advanceTime } = createPair(100);
    for (let read = 0; read < 20; read += 1) {
      state.written += 1;
      state.server.applied = state.written;
      advanceTime(30);
      expect(await findSource()).toBe('replica');
    }
  });

  it('checks each connection at most twice a second', async () => {
    const { state, findSource, advanceTime } = createPair(2_000);
    for (let read = 0; read < 20; read += 1) {
      expect(await findSource()).toBe('replica');
      advanceTime(50);
    }
    expect(state.queryCount).toBeLessThanOrEqual(2);
  });

  it('supports a maximum age of an hour', async () => {
    const { state, reads, findSource, advanceTime } = createPair(3_600_000);
    for (let minute = 0; minute < 50; minute += 1) {
      await findSource();
      state.written += 1;
      advanceTime(60_000);
    }
    expect(await findSource()).toBe('replica');
    state.server.applied = 20;
    expect(await findSource()).toBe('replica');
    advanceTime(600);
    const ageMs = await reads.ageMs();
    // The replica has applied the log of the first 20 of 50 minutes, and its age is precise to two minutes.
    expect(ageMs).toBeGreaterThanOrEqual(30 * 60_000);
    expect(ageMs).toBeLessThanOrEqual(33 * 60_000);
  });

  it('uses the primary while the replica is unreachable, and when it cancels a statement', async () => {
    const { state, reads, findSource, advanceTime } = createPair();
    expect(await findSource()).toBe('replica');
    const conflict = Object.assign(new Error('conflict with recovery'), { code: '40001' });
    const usedServers: string[] = [];
    const source = await reads.read(async (store) => {
      const { name } = store as unknown as { name: string };
      usedServers.push(name);
      if (name === 'replica') throw conflict;
      return name;
    });
    expect([source, usedServers]).toEqual(['primary', ['replica', 'primary']]);
    state.isAway = true;
    advanceTime(600);
    expect(await findSource()).toBe('primary');
  });

  it('waits only once for a hung replica, and uses it again once it responds', async () => {
    const { state, findSource, reads, advanceTime } = createPair();
    expect(await findSource()).toBe('replica');
    const { promise, resolve: respond } = withResolvers();
    state.replicaHang = promise;
    advanceTime(600);
    expect(await findSource()).toBe('primary');
    const nextRead = Promise.race([findSource(), pause(200, 'late')]);
    expect(await nextRead).toBe('primary');
    expect([reads.isAway, await reads.ageMs()]).toEqual([true, Number.POSITIVE_INFINITY]);
    respond();
    expect(await reads.settledAgeMs()).toBeLessThan(1_000);
    expect(await findSource()).toBe('replica');
  });

  it('counts reads by server and reason', async () => {
    const { state, reads, findSource, advanceTime } = createPair();
    await findSource();
    await reads.read(async (store) => {
      if ((store as unknown as { name: string }).name === 'replica')
        throw Object.assign(new Error('conflict'), { code: '40001' });
    });
    state.written = 5;
    advanceTime(2_000);
    await findSource();
    state.isAway = true;
    advanceTime(600);
    await findSource();
    const counts = reads.tally.toMetric('reads', '').read();
    expect(await counts).toEqual([
      { labels: { from: 'replica', reason: 'young' }, value: 1 },
      { labels: { from: 'primary', reason: 'given_up' }, value: 1 },
      { labels: { from: 'primary', reason: 'too_old' }, value: 1 },
      { labels: { from: 'primary', reason: 'away' }, value: 1 },
    ]);
  });

  it('passes on errors of the work itself', async () => {
    const { reads } = createPair();
    await expect(reads.read(() => Promise.reject(new Error('ours')))).rejects.toThrow('ours');
  });
});
