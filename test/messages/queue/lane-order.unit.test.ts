import { describe, expect, it } from 'vitest';
import { type DueMessage, jobsOf } from '../../../src/messages/queue/jobs.js';
import { LAST_TURN, LaneOrder } from '../../../src/messages/queue/lane-order.js';
import { unpackIds } from '../../../src/messages/queue/packed-ids.js';
import { newId } from '../../../src/platform/ids.js';

const UNLIMITED = () => null;

/** So many messages of an account, which its name begins with. */
function messagesOf(accountId: string, count: number, more: Partial<DueMessage> = {}): DueMessage[] {
  return Array.from({ length: count }, () => ({
    id: newId(),
    accountId,
    campaignId: null,
    priority: 0,
    carrier: 'simulator',
    ...more,
  }));
}

/** A lane as BullMQ runs it: by number, and of one number by the order in which jobs were added. */
class Lane {
  readonly order = new LaneOrder();
  readonly #owners = new Map<string, string>();
  #jobs: { number: number; ids: string[] }[] = [];

  /** A job holds one message. */
  add(messages: readonly DueMessage[], order = this.order): void {
    for (const { id, accountId, campaignId, priority } of messages) {
      this.#owners.set(id, [accountId, campaignId, priority || null].filter(Boolean).join(' '));
    }
    for (const { data, opts } of jobsOf(messages, order, () => 4)) {
      if (opts.priority < 1 || opts.priority > LAST_TURN) throw new Error(`BullMQ does not take ${opts.priority}`);
      this.#jobs.push({ number: opts.priority, ids: unpackIds(data.ids) });
    }
    this.#jobs.sort((a, b) => a.number - b.number);
  }

  /** Runs so many jobs and tells whose they were. */
  run(count = this.#jobs.length): string[] {
    return this.#jobs.splice(0, count).map(({ number, ids }) => {
      this.order.reached(number);
      return [...new Set(ids.map((id) => this.#owners.get(id) as string))].join('+');
    });
  }
}

const count = (names: readonly string[], name: string) => names.filter((each) => each === name).length;

describe('turns', () => {
  it('a single message goes before the backlogs of ten others, however far they are', () => {
    const lane = new Lane();
    for (let account = 0; account < 10; account++) lane.add(messagesOf(`bulk${account}`, 1_000));
    lane.run(777);
    lane.add(messagesOf('single', 1));
    expect(lane.run(1)).toEqual(['single']);
  });

  it('a backlog that comes late takes turns with those that are there, and neither waits for the other', () => {
    const lane = new Lane();
    lane.add(messagesOf('early', 200));
    lane.run(100);
    lane.add(messagesOf('late', 200));
    const names = lane.run(100);
    expect(count(names, 'early')).toBeGreaterThanOrEqual(48);
    expect(count(names, 'late')).toBeGreaterThanOrEqual(48);
  });

  it('an account that fills its backlog up all the time does not keep another from its turn', () => {
    const lane = new Lane();
    lane.add(messagesOf('waiting', 10));
    let runs = 0;
    for (let round = 0; round < 10; round++) {
      lane.add(messagesOf('greedy', 5));
      runs += count(lane.run(2), 'waiting');
    }
    expect(runs).toBeGreaterThanOrEqual(9);
  });

  it('within an account the higher priority goes first, and keeps no other account from its turn', () => {
    const lane = new Lane();
    lane.add(messagesOf('one', 5));
    lane.add(messagesOf('one', 5, { priority: 1 }));
    expect(lane.run()).toEqual([...Array(5).fill('one 1'), ...Array(5).fill('one')]);

    lane.order.drained();
    lane.add(messagesOf('one', 1_000, { priority: 1 }));
    lane.add(messagesOf('other', 10));
    expect(count(lane.run(90), 'other')).toBe(10);
  });

  it('the campaigns of an account take turns within its own', () => {
    const lane = new Lane();
    lane.add(messagesOf('other', 1_000));
    for (const campaignId of ['x', 'y', 'z']) lane.add(messagesOf('one', 100, { campaignId }));
    const names = lane.run(200);
    for (const campaign of ['x', 'y', 'z']) expect(count(names, `one ${campaign}`)).toBeGreaterThan(20);
    expect(count(names, 'other')).toBeGreaterThan(70);
  });

  it('few messages of many accounts go in one job', () => {
    const order = new LaneOrder();
    const messages = Array.from({ length: 350 }, (_, index) => messagesOf(`account${index}`, 1)).flat();
    expect(jobsOf(messages, order, UNLIMITED)).toHaveLength(4);
    expect(jobsOf(messagesOf('account1', 150, { carrier: 'smsc' }), order, () => 40)).toHaveLength(15);
  });

  it('what was just accepted goes in one job while it is no backlog, and counts for its turn as what it is', () => {
    const order = new LaneOrder();
    const [flow, ...more] = jobsOf(messagesOf('flow', 240, { flows: true }), order, UNLIMITED);
    expect(more).toHaveLength(0);
    expect(jobsOf(messagesOf('flow', 1_200, { flows: true }), new LaneOrder(), UNLIMITED)).toHaveLength(3);
    expect(jobsOf(messagesOf('backlog', 260), order, UNLIMITED)).toHaveLength(3);
    const ofCampaign = messagesOf('campaign', 240, { campaignId: 'x', flows: true });
    expect(jobsOf(ofCampaign, new LaneOrder(), UNLIMITED)).toHaveLength(3);
    const next = order.next({ accountId: 'flow', campaignId: null, first: false, share: 1 });
    expect(next - (flow?.opts.priority ?? 0)).toBe(8);
    const begun = order.next({ accountId: 'new', campaignId: null, first: false, share: 1 });
    expect((flow?.opts.priority ?? 0) - begun).toBeGreaterThanOrEqual(8);
  });

  it('what was just accepted shares no job with a backlog', () => {
    const messages = [...messagesOf('backlog', 250), ...messagesOf('flow', 250, { flows: true })];
    const sizes = jobsOf(messages, new LaneOrder(), UNLIMITED).map(({ data }) => unpackIds(data.ids).length);
    expect(sizes.sort((a, b) => b - a)).toEqual([250, 100, 100, 50]);
  });

  it('a process that knows nothing of the lines goes on where the lane is', () => {
    const lane = new Lane();
    lane.add(messagesOf('bulk', 1_000));
    lane.run(500);
    const restarted = new LaneOrder();
    lane.run(1);
    restarted.reached(lane.order.next({ accountId: 'look', campaignId: null, first: false, share: 1 }));
    lane.add(messagesOf('bulk', 10), restarted);
    lane.add(messagesOf('single', 1), restarted);
    expect(lane.run(2)).toContain('single');
  });

  it('numbers never pass the highest that BullMQ knows, and begin anew', () => {
    const lane = new Lane();
    lane.order.reached(LAST_TURN - 20);
    const elsewhere = new LaneOrder();
    elsewhere.reached(LAST_TURN - 20);
    lane.add(messagesOf('bulk', 10));
    const number = lane.order.next({ accountId: 'next', campaignId: null, first: false, share: 1 });
    expect(number).toBeLessThan(1_000);
    elsewhere.reached(number);
    expect(elsewhere.next({ accountId: 'next', campaignId: null, first: false, share: 1 })).toBeLessThan(1_000);
  });
});
