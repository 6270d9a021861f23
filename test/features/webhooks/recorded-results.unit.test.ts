import { beforeEach, describe, expect, it } from 'vitest';
import {
  claimDeliveries,
  type DeliveryResult,
  recordResults,
  releaseDeliveries,
} from '../../../src/features/webhooks/delivery/delivery-store.js';
import { newId } from '../../../src/platform/ids.js';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { suiteStore } from '../../support/for-suite.js';

describe('results of delivery attempts', () => {
  const store = suiteStore();
  let account: TestAccount;
  let webhookId: string;

  beforeEach(async () => {
    account = await createTestAccount(store);
    webhookId = await createWebhook();
  });
  const createWebhook = async (overrides: object = {}) => {
    const id = newId();
    const url = 'https://example.invalid/';
    await store.prisma.webhook.create({
      data: { id, accountId: account.id, url, events: ['message.status'], secret: 'whsec_dGVzdA==', ...overrides },
    });
    return id;
  };
  const createDelivery = async (overrides: object = {}) => {
    const id = newId();
    const type = 'message.status';
    const nextAttemptAt = new Date(Date.now() - 60_000);
    await store.prisma.webhookDelivery.create({
      data: { id, webhookId, type, data: {}, occurredAt: new Date(), nextAttemptAt, ...overrides },
    });
    return id;
  };
  const findDelivery = (id: string) => store.prisma.webhookDelivery.findUniqueOrThrow({ where: { id } });
  const createResult = async (id: string, overrides: Partial<DeliveryResult> = {}): Promise<DeliveryResult> => ({
    ...{ id, webhookId, accountId: account.id, url: 'https://example.invalid/', attempts: 0 },
    ...{
      dueAt: (await findDelivery(id)).nextAttemptAt as Date,
      ok: false,
      statusCode: 500,
      error: 'HTTP 500',
      answer: null,
    },
    ...{ delayMs: 60_000, gone: false, endedAt: 0 },
    ...overrides,
  });
  const claimAll = (count = 10, voidUntil: Date | null = null) =>
    claimDeliveries(store.pool, [{ webhookId, count }], voidUntil);

  it('results of an earlier attempt change nothing after another process made one', async () => {
    const id = await createDelivery({ attempts: 1, failures: 1 });
    const deliveryBefore = await findDelivery(id);
    await recordResults(store.pool, [await createResult(id, { attempts: 0, delayMs: null })]);
    expect(await findDelivery(id)).toEqual(deliveryBefore);
    await recordResults(store.pool, [await createResult(id, { attempts: 1 })]);
    expect(await findDelivery(id)).toMatchObject({ attempts: 2, failures: 2, status: 'pending' });
  });

  it('results of delivery attempts count if an earlier attempt succeeded, and nothing counts after that', async () => {
    const id = await createDelivery({ attempts: 1 });
    const lateResult = await createResult(id, { attempts: 1 });
    await recordResults(store.pool, [
      await createResult(id, { attempts: 0, ok: true, statusCode: 204, error: null, delayMs: null }),
    ]);
    const deliveredRow = await findDelivery(id);
    expect(deliveredRow).toMatchObject({ status: 'delivered', attempts: 2, nextAttemptAt: null, leaseUntil: null });
    for (const attempts of [1, 2]) await recordResults(store.pool, [{ ...lateResult, attempts }]);
    expect(await findDelivery(id)).toEqual(deliveredRow);
  });

  it('results of delivery attempts are written to their own deliveries in any order', async () => {
    const ids = [await createDelivery(), await createDelivery(), await createDelivery()];
    const untouchedId = await createDelivery();
    const results = await Promise.all(
      ids.map((id, index) => createResult(id, { statusCode: 500 + index, error: `HTTP ${500 + index}` })),
    );
    await recordResults(store.pool, results.reverse());
    const codes = await Promise.all(ids.map(async (id) => (await findDelivery(id)).lastStatusCode));
    expect(codes).toEqual([500, 501, 502]);
    expect(await findDelivery(untouchedId)).toMatchObject({ attempts: 0, lastStatusCode: null });
  });

  it('results of delivery attempts end a delivery without a next attempt, unless it was replayed during the last one', async () => {
    const [given, replayed] = [await createDelivery(), await createDelivery()];
    const results = [await createResult(given, { delayMs: null }), await createResult(replayed, { delayMs: null })];
    const nextAttemptAt = new Date();
    await store.prisma.webhookDelivery.update({ where: { id: replayed }, data: { nextAttemptAt, failures: 0 } });
    await recordResults(store.pool, results);
    expect(await findDelivery(given)).toMatchObject({ status: 'failed', nextAttemptAt: null, failures: 1 });
    expect(await findDelivery(replayed)).toMatchObject({ status: 'pending', nextAttemptAt, failures: 0, attempts: 1 });
  });

  it('results of delivery attempts keep the last 20 attempts', async () => {
    const id = await createDelivery();
    for (let attempts = 0; attempts < 22; attempts += 1) {
      await recordResults(store.pool, [await createResult(id, { attempts, error: `try ${attempts}` })]);
    }
    const { tries } = await findDelivery(id);
    const listErrors = (tries as { error: string }[]).map(({ error }) => error);
    expect([listErrors.length, listErrors[0], listErrors.at(-1)]).toEqual([20, 'try 2', 'try 21']);
  });

  describe('claims', () => {
    it('claims of deliveries lease the requested number of due deliveries, longest due first, and none twice', async () => {
      const laterId = await createDelivery({ nextAttemptAt: new Date(Date.now() - 10_000) });
      const firstId = await createDelivery({ nextAttemptAt: new Date(Date.now() - 50_000) });
      await createDelivery({ nextAttemptAt: new Date(Date.now() + 60_000) });
      expect((await claimAll(1)).map(({ id }) => id)).toEqual([firstId]);
      expect((await claimAll()).map(({ id }) => id)).toEqual([laterId]);
      expect(await claimAll()).toEqual([]);
      await releaseDeliveries(store.pool, [firstId]);
      expect((await claimAll()).map(({ id }) => id)).toEqual([firstId]);
    });

    it('claims of deliveries skip disabled webhooks, and take over void leases', async () => {
      const id = await createDelivery({ leaseUntil: new Date(Date.now() + 10_000) });
      expect(await claimAll()).toEqual([]);
      await store.prisma.webhook.update({ where: { id: webhookId }, data: { isActive: false } });
      expect(await claimAll(10, new Date(Date.now() + 60_000))).toEqual([]);
      await store.prisma.webhook.update({ where: { id: webhookId }, data: { isActive: true } });
      expect((await claimAll(10, new Date(Date.now() + 60_000))).map((delivery) => delivery.id)).toEqual([id]);
    });

    it('claims of deliveries prefer the URL of the event, and use the account secret for callbacks', async () => {
      await store.prisma.account.update({ where: { id: account.id }, data: { callbackSecret: 'whsec_b3duZXI=' } });
      await createDelivery();
      expect(await claimAll()).toMatchObject([{ url: 'https://example.invalid/', secret: 'whsec_dGVzdA==' }]);
      webhookId = await createWebhook({ isCallback: true, secret: '' });
      await createDelivery({ url: 'https://example.invalid/named' });
      expect(await claimAll()).toMatchObject([
        { url: 'https://example.invalid/named', endpointUrl: 'https://example.invalid/', secret: 'whsec_b3duZXI=' },
      ]);
    });
  });
});
