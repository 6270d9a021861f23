import { describe, expect, it } from 'vitest';
import { buildJobs, type DueMessage } from '../../../src/messages/queue/jobs.js';
import { LAST_TURN, LaneOrder } from '../../../src/messages/queue/lane-order.js';
import { unpackIds } from '../../../src/messages/queue/packed-ids.js';
import { newId } from '../../../src/platform/ids.js';

const UNLIMITED = () => null;

function createMessages(accountId: string, count: number, overrides: Partial<DueMessage> = {}): DueMessage[] {
  return Array.from({ length: count }, () => ({
    id: newId(),
    accountId,
    campaignId: null,
    priority: 0,
    carrier: 'simulator',
    ...overrides,
  }));
}

/** Runs jobs like BullMQ: in the order of their numbers, or of their addition if the numbers are equal. */
class Lane {
  readonly order = new LaneOrder();
  readonly #owners = new Map<string, string>();
  #jobs: { number: number; ids: string[] }[] = [];

  add(messages: readonly DueMessage[], order = this.order): void {
    for (const { id, accountId, campaignId, priority } of messages) {
      this.#owners.set(id, [accountId, campaignId, priority || null].filter(Boolean).join(' '));
    }
    for (const { data, opts } of buildJobs(messages, order, () => 4)) {
      if (opts.priority < 1 || opts.priority > LAST_TURN) throw new Error(`BullMQ does not take ${opts.priority}`);
      this.#jobs.push({ number: opts.priority, ids: unpackIds(data.ids) });
    }
    this.#jobs.sort((a, b) => a.number - b.number);
  }

  run(count = this.#jobs.length): string[] {
    return this.#jobs.splice(0, count).map(({ number, ids }) => {
      this.order.advanceTo(number);
      return [...new Set(ids.map((id) => this.#owners.get(id) as string))].join('+');
    });
  }
}

const countName = (names: readonly string[], name: string) => names.filter((entry) => entry === name).length;

describe('turns of accounts in a lane', () => {
  it('a single message goes before the backlogs of ten other accounts, however old they are', () => {
    const lane = new Lane();
    for (let account = 0; account < 10; account++) lane.add(createMessages(`bulk${account}`, 1_000));
    lane.run(777);
    lane.add(createMessages('single', 1));
    expect(lane.run(1)).toEqual(['single']);
  });

  it('a later backlog takes turns with earlier ones, without anyone having to wait', () => {
    const lane = new Lane();
    lane.add(createMessages('early', 200));
    lane.run(100);
    lane.add(createMessages('late', 200));
    const names = lane.run(100);
    expect(countName(names, 'early')).toBeGreaterThanOrEqual(48);
    expect(countName(names, 'late')).toBeGreaterThanOrEqual(48);
  });

  it('an account that keeps refilling its backlog does not delay another account', () => {
    const lane = new Lane();
    lane.add(createMessages('waiting', 10));
    let runCount = 0;
    for (let round = 0; round < 10; round++) {
      lane.add(createMessages('greedy', 5));
      runCount += countName(lane.run(2), 'waiting');
    }
    expect(runCount).toBeGreaterThanOrEqual(9);
  });

  it('higher priority goes first within an account and does not delay other accounts', () => {
    const lane = new Lane();
    lane.add(createMessages('one', 5));
    lane.add(createMessages('one', 5, { priority: 1 }));
    expect(lane.run()).toEqual([...Array(5).fill('one 1'), ...Array(5).fill('one')]);

    lane.order.catchUp();
    lane.add(createMessages('one', 1_000, { priority: 1 }));
    lane.add(createMessages('other', 10));
    expect(countName(lane.run(90), 'other')).toBe(10);
  });

  it('campaigns of an account share its turns', () => {
    const lane = new Lane();
    lane.add(createMessages('other', 1_000));
    for (const campaignId of ['x', 'y', 'z']) lane.add(createMessages('one', 100, { campaignId }));
    const names = lane.run(200);
    for (const campaign of ['x', 'y', 'z']) expect(countName(names, `one ${campaign}`)).toBeGreaterThan(20);
    expect(countName(names, 'other')).toBeGreaterThan(70);
  });

  it('a few messages each of many accounts share one job', () => {
    const order = new LaneOrder();
    const messages = Array.from({ length: 350 }, (_, index) => createMessages(`account${index}`, 1)).flat();
    expect(buildJobs(messages, order, UNLIMITED)).toHaveLength(4);
    expect(buildJobs(createMessages('account1', 150, { carrier: 'smsc' }), order, () => 40)).toHaveLength(15);
  });

  it('just accepted messages share one job, which counts by its size', () => {
    const order = new LaneOrder();
    const [flow, ...overrides] = buildJobs(createMessages('flow', 240, { isFlowing: true }), order, UNLIMITED);
    expect(overrides).toHaveLength(0);
    expect(buildJobs(createMessages('flow', 1_200, { isFlowing: true }), new LaneOrder(), UNLIMITED)).toHaveLength(3);
    expect(buildJobs(createMessages('backlog', 260), order, UNLIMITED)).toHaveLength(3);
    const campaignMessages = createMessages('campaign', 240, { campaignId: 'x', isFlowing: true });
    expect(buildJobs(campaignMessages, new LaneOrder(), UNLIMITED)).toHaveLength(3);
    const nextTurn = order.assignNumber({ accountId: 'flow', campaignId: null, first: false, share: 1 });
    expect(nextTurn - (flow?.opts.priority ?? 0)).toBe(8);
    const firstNumber = order.assignNumber({ accountId: 'new', campaignId: null, first: false, share: 1 });
    expect((flow?.opts.priority ?? 0) - firstNumber).toBeGreaterThanOrEqual(8);
  });

  it('just accepted messages do not share a job with a backlog', () => {
    const messages = [...createMessages('backlog', 250), ...createMessages('flow', 250, { isFlowing: true })];
    const sizes = buildJobs(messages, new LaneOrder(), UNLIMITED).map(({ data }) => unpackIds(data.ids).length);
    expect(sizes.sort((a, b) => b - a)).toEqual([250, 100, 100, 50]);
  });

  it("a process without knowledge of the lines continues at the lane's current time", () => {
    const lane = new Lane();
    lane.add(createMessages('bulk', 1_000));
    lane.run(500);
    const restarted = new LaneOrder();
    lane.run(1);
    restarted.advanceTo(lane.order.assignNumber({ accountId: 'look', campaignId: null, first: false, share: 1 }));
    lane.add(createMessages('bulk', 10), restarted);
    lane.add(createMessages('single', 1), restarted);
    expect(lane.run(2)).toContain('single');
  });

  it("job numbers never exceed BullMQ's maximum and then start over", () => {
    const lane = new Lane();
    lane.order.advanceTo(LAST_TURN - 20);
    const otherOrder = new LaneOrder();
    otherOrder.advanceTo(LAST_TURN - 20);
    lane.add(createMessages('bulk', 10));
    const number = lane.order.assignNumber({ accountId: 'next', campaignId: null, first: false, share: 1 });
    expect(number).toBeLessThan(1_000);
    otherOrder.advanceTo(number);
    expect(otherOrder.assignNumber({ accountId: 'next', campaignId: null, first: false, share: 1 })).toBeLessThan(
      1_000,
    );
  });
});
