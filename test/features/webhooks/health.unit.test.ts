import { beforeEach, describe, expect, it } from 'vitest';
import { applyOutcomes, type EndpointOutcomes } from '../../../src/features/webhooks/delivery/results/health-store.js';
import { newId } from '../../../src/platform/ids.js';
import { createTestAccount } from '../../support/accounts.js';
import { suiteStore } from '../../support/for-suite.js';

const URL = 'https://example.invalid/';
const DAY_MS = 24 * 60 * 60 * 1000;
const firstFailure = new Date('2027-01-15T12:00:00.000Z');
const addDays = (days: number) => new Date(firstFailure.getTime() + days * DAY_MS);

describe('the health of a webhook', () => {
  const store = suiteStore();
  let accountId: string;
  beforeEach(async () => {
    accountId = (await createTestAccount(store)).id;
  });
  const createWebhook = async (overrides: object = {}) => {
    const id = newId();
    await store.prisma.webhook.create({
      data: { id, accountId, url: URL, events: ['message.status'], secret: 'x', ...overrides },
    });
    return id;
  };
  const readHealth = async (id: string) => {
    const { failingSince, isActive, disabledReason } = await store.prisma.webhook.findUniqueOrThrow({ where: { id } });
    return { failingSince, isActive, disabledReason };
  };
  const createOutcomes = (webhookId: string, overrides: Partial<EndpointOutcomes> = {}): EndpointOutcomes => ({
    ...{ webhookId, url: URL, succeededAt: null, failedAt: overrides.gone ? null : performance.now(), gone: false },
    ...overrides,
  });
  const createSuccess = (webhookId: string) =>
    createOutcomes(webhookId, { succeededAt: performance.now(), failedAt: null });
  const apply = (now: Date, ...outcomes: EndpointOutcomes[]) => applyOutcomes(store.pool, outcomes, now);

  it('a webhook is disabled five days after the first failure without a success', async () => {
    const id = await createWebhook();
    expect(await apply(firstFailure, createOutcomes(id))).toEqual([]);
    expect(await readHealth(id)).toEqual({ failingSince: firstFailure, isActive: true, disabledReason: null });
    expect(await apply(addDays(4.9), createOutcomes(id))).toEqual([]);
    expect(await readHealth(id)).toEqual({ failingSince: firstFailure, isActive: true, disabledReason: null });
    expect(await apply(addDays(5), createOutcomes(id))).toEqual([{ id, reason: 'failing' }]);
    expect(await readHealth(id)).toEqual({ failingSince: firstFailure, isActive: false, disabledReason: 'failing' });
  });

  it('the five days until a webhook is disabled restart after a success', async () => {
    const id = await createWebhook();
    await apply(firstFailure, createOutcomes(id));
    await apply(addDays(3), createSuccess(id));
    expect(await readHealth(id)).toEqual({ failingSince: null, isActive: true, disabledReason: null });
    await apply(addDays(4), createOutcomes(id));
    expect(await apply(addDays(6), createOutcomes(id))).toEqual([]);
    expect(await readHealth(id)).toMatchObject({ failingSince: addDays(4), isActive: true });
  });

  it('only the webhook with status 410 is disabled, at once', async () => {
    const [gone, other] = [await createWebhook(), await createWebhook()];
    expect(await apply(firstFailure, createOutcomes(gone, { gone: true }), createOutcomes(other))).toEqual([
      { id: gone, reason: 'gone' },
    ]);
    expect(await readHealth(gone)).toMatchObject({ isActive: false, disabledReason: 'gone' });
    expect(await readHealth(other)).toMatchObject({ isActive: true, failingSince: firstFailure });
  });

  it('a failure counts only for the URL that was called, not for a newer one', async () => {
    const id = await createWebhook({ url: 'https://example.invalid/corrected' });
    expect(await apply(firstFailure, createOutcomes(id, { gone: true }), createOutcomes(id))).toEqual([]);
    expect(await readHealth(id)).toEqual({ failingSince: null, isActive: true, disabledReason: null });
  });

  it('a callback host is marked as failing but never disabled', async () => {
    const id = await createWebhook({ isCallback: true });
    await apply(firstFailure, createOutcomes(id));
    expect(await readHealth(id)).toMatchObject({ failingSince: firstFailure });
    expect(await apply(addDays(6), createOutcomes(id))).toEqual([]);
    expect(await apply(addDays(6), createOutcomes(id, { gone: true }))).toEqual([]);
    expect(await readHealth(id)).toEqual({ failingSince: firstFailure, isActive: true, disabledReason: null });
    await apply(addDays(7), { ...createSuccess(id), gone: true });
    expect(await readHealth(id)).toEqual({ failingSince: null, isActive: true, disabledReason: null });
  });

  it('the health of a disabled webhook does not change', async () => {
    const id = await createWebhook({ isActive: false });
    expect(await apply(firstFailure, createOutcomes(id, { gone: true }))).toEqual([]);
    expect(await readHealth(id)).toEqual({ failingSince: null, isActive: false, disabledReason: null });
  });
});
