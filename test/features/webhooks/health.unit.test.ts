import { beforeEach, describe, expect, it } from 'vitest';
import { applyOutcomes, type EndpointOutcomes } from '../../../src/features/webhooks/delivery/results/health-store.js';
import { newId } from '../../../src/platform/ids.js';
import { createTestAccount } from '../../support/accounts.js';
import { suiteStore } from '../../support/for-suite.js';

const URL = 'https://example.invalid/';
const DAY_MS = 24 * 60 * 60 * 1000;
const start = new Date('2027-01-15T12:00:00.000Z');
const daysAfter = (days: number) => new Date(start.getTime() + days * DAY_MS);

describe('the health of a webhook', () => {
  const store = suiteStore();
  let accountId: string;
  beforeEach(async () => {
    accountId = (await createTestAccount(store)).id;
  });
  const make = async (more: object = {}) => {
    const id = newId();
    await store.prisma.webhook.create({
      data: { id, accountId, url: URL, events: ['message.status'], secret: 'x', ...more },
    });
    return id;
  };
  const row = async (id: string) => {
    const { failingSince, isActive, disabledReason } = await store.prisma.webhook.findUniqueOrThrow({ where: { id } });
    return { failingSince, isActive, disabledReason };
  };
  const news = (webhookId: string, more: Partial<EndpointOutcomes> = {}): EndpointOutcomes => ({
    ...{ webhookId, url: URL, succeededAt: null, failedAt: more.gone ? null : performance.now(), gone: false },
    ...more,
  });
  const success = (webhookId: string) => news(webhookId, { succeededAt: performance.now(), failedAt: null });
  const apply = (now: Date, ...all: EndpointOutcomes[]) => applyOutcomes(store.pool, all, now);

  it('disables the webhook five days after the first failure without a success', async () => {
    const id = await make();
    expect(await apply(start, news(id))).toEqual([]);
    expect(await row(id)).toEqual({ failingSince: start, isActive: true, disabledReason: null });
    expect(await apply(daysAfter(4.9), news(id))).toEqual([]);
    expect(await row(id)).toEqual({ failingSince: start, isActive: true, disabledReason: null });
    expect(await apply(daysAfter(5), news(id))).toEqual([{ id, reason: 'failing' }]);
    expect(await row(id)).toEqual({ failingSince: start, isActive: false, disabledReason: 'failing' });
  });

  it('restarts the five days after a success', async () => {
    const id = await make();
    await apply(start, news(id));
    await apply(daysAfter(3), success(id));
    expect(await row(id)).toEqual({ failingSince: null, isActive: true, disabledReason: null });
    await apply(daysAfter(4), news(id));
    expect(await apply(daysAfter(6), news(id))).toEqual([]);
    expect(await row(id)).toMatchObject({ failingSince: daysAfter(4), isActive: true });
  });

  it('disables only the webhook with status 410, at once', async () => {
    const [gone, other] = [await make(), await make()];
    expect(await apply(start, news(gone, { gone: true }), news(other))).toEqual([{ id: gone, reason: 'gone' }]);
    expect(await row(gone)).toMatchObject({ isActive: false, disabledReason: 'gone' });
    expect(await row(other)).toMatchObject({ isActive: true, failingSince: start });
  });

  it('counts only for the URL that was called, not for a newer one', async () => {
    const id = await make({ url: 'https://example.invalid/corrected' });
    expect(await apply(start, news(id, { gone: true }), news(id))).toEqual([]);
    expect(await row(id)).toEqual({ failingSince: null, isActive: true, disabledReason: null });
  });

  it('marks a callback host as failing but never disables it', async () => {
    const id = await make({ isCallback: true });
    await apply(start, news(id));
    expect(await row(id)).toMatchObject({ failingSince: start });
    expect(await apply(daysAfter(6), news(id))).toEqual([]);
    expect(await apply(daysAfter(6), news(id, { gone: true }))).toEqual([]);
    expect(await row(id)).toEqual({ failingSince: start, isActive: true, disabledReason: null });
    await apply(daysAfter(7), { ...success(id), gone: true });
    expect(await row(id)).toEqual({ failingSince: null, isActive: true, disabledReason: null });
  });

  it('does not change a disabled webhook', async () => {
    const id = await make({ isActive: false });
    expect(await apply(start, news(id, { gone: true }))).toEqual([]);
    expect(await row(id)).toEqual({ failingSince: null, isActive: false, disabledReason: null });
  });
});
