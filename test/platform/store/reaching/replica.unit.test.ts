import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Readable } from '../../../../src/platform/reads/reads.js';
import { ReplicaReads } from '../../../../src/platform/store/reaching/replica.js';
import { ReplicaAge } from '../../../../src/platform/store/reaching/replica-age.js';
import { withResolvers } from '../../../../src/platform/with-resolvers.js';

/** A server of a replica: how far it has applied, and whether it is one. */
interface ServerState {
  name: string;
  applied: number;
  isReplica: boolean;
}

/** A primary whose log is `written` long, and a replica that has applied some of it. */
function pair(maxAgeMs = 1_000) {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const server: ServerState = { name: 'replica', applied: 1, isReplica: true };
  const state = {
    ...{ written: 1, primary: 'primary', isPrimaryAway: false, isAway: false, warned: 0, asked: 0 },
    stands: null as Promise<void> | null,
    primaryStands: null as Promise<void> | null,
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
      await state.primaryStands;
      return { rows };
    },
  };
  const age = new ReplicaAge(primaryPool as never, maxAgeMs);
  const connectionTo = (to: ServerState) => ({
    query: async () => {
      state.asked += 1;
      await state.stands;
      if (state.isAway) throw refused();
      return { rows: [{ lsn: to.applied, isReplica: to.isReplica, server: to.name }] };
    },
    release: () => undefined,
  });
  const connections = [connectionTo(server)];
  /** As a pool does: the first that is free. */
  const connect = async () => {
    const [first] = connections;
    await age.admit(first as never);
    return first;
  };
  const primary = { name: 'primary', pool: primaryPool } as never as Readable;
  const replica = { name: 'replica', pool: { connect } } as never as Readable;
  const reads = new ReplicaReads({ primary, replica, age, log });
  /** Where something was read that asks over one connection. */
  const where = () =>
    reads.read(async (store) => {
      const { name } = store as unknown as { name: string };
      if (name === 'replica') await connect();
      return name;
    });
  /** The next use is of a new connection. */
  const reconnect = (to: Partial<ServerState>) => {
    connections[0] = connectionTo(Object.assign(server, to));
  };
  return { state, reads, where, reconnect, connections, pass: (ms: number) => vi.advanceTimersByTime(ms) };
}

describe('what is read', () => {
  it('comes from a replica that has applied all', async () => {
    const { where, reads } = pair();
    expect(await where()).toBe('replica');
    expect(await reads.ageMs()).toBe(0);
  });

  it('comes from the primary once the replica is older than it may be, and from the replica when it has caught up', async () => {
    const { state, where, pass } = pair();
    expect(await where()).toBe('replica');
    state.written = 5;
    pass(900);
    expect(await where()).toBe('replica');
    pass(600);
    expect(await where()).toBe('primary');
    expect(state.warned).toBe(1);
    pass(600);
    expect(await where()).toBe('primary');
    expect(state.warned).toBe(1);
    // As it was when the primary was asked a moment ago.
    state.server.applied = 5;
    pass(600);
    expect(await where()).toBe('replica');
  });

  it('is no younger than the last position that the replica has reached', async () => {
    const { state, reads, pass } = pair();
    await reads.ageMs();
    state.written = 2;
    pass(1_000);
    await reads.ageMs();
    state.written = 3;
    state.server.applied = 2;
    pass(1_000);
    expect(await reads.ageMs()).toBe(1_000);
  });

  it('comes from no connection to a server that has applied less than the one that was asked before', async () => {
    const { state, where, pass, reconnect } = pair();
    state.written = 5;
    state.server.applied = 5;
    expect(await where()).toBe('replica');
    // It was killed and is back, within the time that an answer is believed.
    reconnect({ name: 'replica, started anew', applied: 4 });
    pass(100);
    expect(await where()).toBe('primary');
    state.server.applied = 5;
    pass(600);
    expect(await where()).toBe('replica');
  });

  it('comes from no server that was made a primary, though its log is longer, but from the primary itself', async () => {
    const { where, pass, reconnect } = pair();
    expect(await where()).toBe('replica');
    reconnect({ applied: 100, isReplica: false });
    for (let round = 0; round < 3; round += 1) {
      pass(600);
      expect(await where()).toBe('primary');
    }
    reconnect({ name: 'primary' });
    pass(600);
    expect(await where()).toBe('replica');
  });

  it('comes from no replica that has applied what the primary never wrote, until it is started anew', async () => {
    const { state, where, pass, reconnect } = pair();
    state.written = 10;
    state.server.applied = 10;
    expect(await where()).toBe('replica');
    // Another server took over, which had not copied all of it; the replica did not follow.
    Object.assign(state, { primary: 'another', written: 8 });
    pass(600);
    await where();
    for (const written of [9, 12, 15]) {
      state.written = written;
      pass(600);
      expect(await where()).toBe('primary');
    }
    reconnect({ name: 'replica, made anew', applied: 15 });
    pass(600);
    expect(await where()).toBe('replica');
  });

  it('comes from a replica that applies more while the answer of the primary is on its way', async () => {
    const { state, where, pass } = pair();
    expect(await where()).toBe('replica');
    const { promise, resolve: arrive } = withResolvers();
    state.primaryStands = promise;
    pass(600);
    // Nobody waits for it for longer than a second.
    expect(await where()).toBe('replica');
    state.written = 9;
    state.server.applied = 9;
    pass(300);
    expect(await where()).toBe('replica');
    arrive();
    state.primaryStands = null;
    for (let round = 0; round < 3; round += 1) {
      pass(600);
      expect(await where()).toBe('replica');
    }
  });

  it('comes from the replica while the primary is away, for as long as it may be old', async () => {
    const { state, where, pass } = pair();
    expect(await where()).toBe('replica');
    state.isPrimaryAway = true;
    pass(600);
    expect(await where()).toBe('replica');
    pass(600);
    expect(await where()).toBe('primary');
    state.isPrimaryAway = false;
    pass(600);
    expect(await where()).toBe('replica');
  });

  it('comes from a connection that is asked anew where its answer is still believed, and has become too old', async () => {
    const { state, where, reconnect, connections, pass } = pair();
    expect(await where()).toBe('replica');
    pass(900);
    state.written = 2;
    expect(await where()).toBe('replica');
    const [first] = connections;
    state.server.applied = 2;
    pass(60);
    reconnect({});
    expect(await where()).toBe('replica');
    pass(60);
    if (first) connections[0] = first;
    expect(await where()).toBe('replica');
    pass(60);
    expect(await where()).toBe('replica');
  });

  it('may be a tenth of a second old', async () => {
    const { state, where, pass } = pair(100);
    for (let read = 0; read < 20; read += 1) {
      state.written += 1;
      state.server.applied = state.written;
      pass(30);
      expect(await where()).toBe('replica');
    }
  });

  it('asks each connection twice a second at most', async () => {
    const { state, where, pass } = pair(2_000);
    for (let read = 0; read < 20; read += 1) {
      expect(await where()).toBe('replica');
      pass(50);
    }
    expect(state.asked).toBeLessThanOrEqual(2);
  });

  it('may be an hour old where that is allowed, and is not too old then', async () => {
    const { state, reads, where, pass } = pair(3_600_000);
    for (let minute = 0; minute < 50; minute += 1) {
      await where();
      state.written += 1;
      pass(60_000);
    }
    expect(await where()).toBe('replica');
    state.server.applied = 20;
    expect(await where()).toBe('replica');
    pass(600);
    const ageMs = await reads.ageMs();
    // What was written in the 20th minute is there, and the 30 after it are not: to two minutes, twice the hour in 60 parts.
    expect(ageMs).toBeGreaterThanOrEqual(30 * 60_000);
    expect(ageMs).toBeLessThanOrEqual(33 * 60_000);
  });

  it('comes from the primary while the replica is away, and when a statement fails there', async () => {
    const { state, reads, where, pass } = pair();
    expect(await where()).toBe('replica');
    const conflict = Object.assign(new Error('conflict with recovery'), { code: '40001' });
    const asked: string[] = [];
    const answer = await reads.read(async (store) => {
      const { name } = store as unknown as { name: string };
      asked.push(name);
      if (name === 'replica') throw conflict;
      return name;
    });
    expect([answer, asked]).toEqual(['primary', ['replica', 'primary']]);
    state.isAway = true;
    pass(600);
    expect(await where()).toBe('primary');
  });

  it('waits once for a replica that stands still, and comes from it again once it goes on', async () => {
    const { state, where, reads, pass } = pair();
    expect(await where()).toBe('replica');
    const { promise, resolve: goOn } = withResolvers();
    state.stands = promise;
    pass(600);
    expect(await where()).toBe('primary');
    const atOnce = Promise.race([where(), pause(200, 'late')]);
    expect(await atOnce).toBe('primary');
    expect([reads.isAway, await reads.ageMs()]).toEqual([true, Number.POSITIVE_INFINITY]);
    goOn();
    expect(await reads.settledAgeMs()).toBeLessThan(1_000);
    expect(await where()).toBe('replica');
  });

  it('is counted by where it was read, and why', async () => {
    const { state, reads, where, pass } = pair();
    await where();
    await reads.read(async (store) => {
      if ((store as unknown as { name: string }).name === 'replica')
        throw Object.assign(new Error('conflict'), { code: '40001' });
    });
    state.written = 5;
    pass(2_000);
    await where();
    state.isAway = true;
    pass(600);
    await where();
    const counts = reads.tally.metric('reads', '').read();
    expect(await counts).toEqual([
      { labels: { from: 'replica', reason: 'young' }, value: 1 },
      { labels: { from: 'primary', reason: 'given_up' }, value: 1 },
      { labels: { from: 'primary', reason: 'too_old' }, value: 1 },
      { labels: { from: 'primary', reason: 'away' }, value: 1 },
    ]);
  });

  it('fails as it would on the primary for what is wrong', async () => {
    const { reads } = pair();
    await expect(reads.read(() => Promise.reject(new Error('ours')))).rejects.toThrow('ours');
  });
});
