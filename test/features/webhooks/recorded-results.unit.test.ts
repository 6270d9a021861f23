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
    webhookId = await makeWebhook();
  });
  const makeWebhook = async (more: object = {}) => {
    const id = newId();
    const url = 'https://example.invalid/';
    await store.prisma.webhook.create({
      data: { id, accountId: account.id, url, events: ['message.status'], secret: 'whsec_dGVzdA==', ...more },
    });
    return id;
  };
  const makeDelivery = async (more: object = {}) => {
    const id = newId();
    const type = 'message.status';
    const nextAttemptAt = new Date(Date.now() - 60_000);
    await store.prisma.webhookDelivery.create({
      data: { id, webhookId, type, data: {}, occurredAt: new Date(), nextAttemptAt, ...more },
    });
    return id;
  };
  const row = (id: string) => store.prisma.webhookDelivery.findUniqueOrThrow({ where: { id } });
  const result = async (id: string, more: Partial<DeliveryResult> = {}): Promise<DeliveryResult> => ({
    ...{ id, webhookId, accountId: account.id, url: 'https://example.invalid/', attempts: 0 },
    ...{ dueAt: (await row(id)).nextAttemptAt as Date, ok: false, statusCode: 500, error: 'HTTP 500', answer: null },
    ...{ delayMs: 60_000, gone: false, endedAt: 0 },
    ...more,
  });
  const claimAll = (count = 10, voidUntil: Date | null = null) =>
    claimDeliveries(store.pool, [{ webhookId, count }], voidUntil);

  it('of an earlier attempt change nothing after another process made one', async () => {
    const id = await makeDelivery({ attempts: 1, failures: 1 });
    const before = await row(id);
    await recordResults(store.pool, [await result(id, { attempts: 0, delayMs: null })]);
    expect(await row(id)).toEqual(before);
    await recordResults(store.pool, [await result(id, { attempts: 1 })]);
    expect(await row(id)).toMatchObject({ attempts: 2, failures: 2, status: 'pending' });
  });

  it('count if an earlier attempt succeeded, and nothing counts after that', async () => {
    const id = await makeDelivery({ attempts: 1 });
    const late = await result(id, { attempts: 1 });
    await recordResults(store.pool, [
      await result(id, { attempts: 0, ok: true, statusCode: 204, error: null, delayMs: null }),
    ]);
    const delivered = await row(id);
    expect(delivered).toMatchObject({ status: 'delivered', attempts: 2, nextAttemptAt: null, leaseUntil: null });
    for (const attempts of [1, 2]) await recordResults(store.pool, [{ ...late, attempts }]);
    expect(await row(id)).toEqual(delivered);
  });

  it('are written to their own deliveries in any order', async () => {
    const ids = [await makeDelivery(), await makeDelivery(), await makeDelivery()];
    const untouched = await makeDelivery();
    const results = await Promise.all(
      ids.map((id, index) => result(id, { statusCode: 500 + index, error: `HTTP ${500 + index}` })),
    );
    await recordResults(store.pool, results.reverse());
    const codes = await Promise.all(ids.map(async (id) => (await row(id)).lastStatusCode));
    expect(codes).toEqual([500, 501, 502]);
    expect(await row(untouched)).toMatchObject({ attempts: 0, lastStatusCode: null });
  });

  it('end a delivery without a next attempt, unless it was replayed during the last one', async () => {
    const [given, replayed] = [await makeDelivery(), await makeDelivery()];
    const results = [await result(given, { delayMs: null }), await result(replayed, { delayMs: null })];
    const nextAttemptAt = new Date();
    await store.prisma.webhookDelivery.update({ where: { id: replayed }, data: { nextAttemptAt, failures: 0 } });
    await recordResults(store.pool, results);
    expect(await row(given)).toMatchObject({ status: 'failed', nextAttemptAt: null, failures: 1 });
    expect(await row(replayed)).toMatchObject({ status: 'pending', nextAttemptAt, failures: 0, attempts: 1 });
  });

  it('keep the last 20 attempts', async () => {
    const id = await makeDelivery();
    for (let attempts = 0; attempts < 22; attempts += 1) {
      await recordResults(store.pool, [await result(id, { attempts, error: `try ${attempts}` })]);
    }
    const { tries } = await row(id);
    const errors = (tries as { error: string }[]).map(({ error }) => error);
    expect([errors.length, errors[0], errors.at(-1)]).toEqual([20, 'try 2', 'try 21']);
  });

  describe('claims', () => {
    it('lease the requested number of due deliveries, longest due first, and none twice', async () => {
      const later = await makeDelivery({ nextAttemptAt: new Date(Date.now() - 10_000) });
      const first = await makeDelivery({ nextAttemptAt: new Date(Date.now() - 50_000) });
      await makeDelivery({ nextAttemptAt: new Date(Date.now() + 60_000) });
      expect((await claimAll(1)).map(({ id }) => id)).toEqual([first]);
      expect((await claimAll()).map(({ id }) => id)).toEqual([later]);
      expect(await claimAll()).toEqual([]);
      await releaseDeliveries(store.pool, [first]);
      expect((await claimAll()).map(({ id }) => id)).toEqual([first]);
    });

    it('skip disabled webhooks, and take over void leases', async () => {
      const id = await makeDelivery({ leaseUntil: new Date(Date.now() + 10_000) });
      expect(await claimAll()).toEqual([]);
      await store.prisma.webhook.update({ where: { id: webhookId }, data: { isActive: false } });
      expect(await claimAll(10, new Date(Date.now() + 60_000))).toEqual([]);
      await store.prisma.webhook.update({ where: { id: webhookId }, data: { isActive: true } });
      expect((await claimAll(10, new Date(Date.now() + 60_000))).map((each) => each.id)).toEqual([id]);
    });

    it('prefer the URL of the event, and use the account secret for callbacks', async () => {
      await store.prisma.account.update({ where: { id: account.id }, data: { callbackSecret: 'whsec_b3duZXI=' } });
      await makeDelivery();
      expect(await claimAll()).toMatchObject([{ url: 'https://example.invalid/', secret: 'whsec_dGVzdA==' }]);
      webhookId = await makeWebhook({ isCallback: true, secret: '' });
      await makeDelivery({ url: 'https://example.invalid/named' });
      expect(await claimAll()).toMatchObject([
        { url: 'https://example.invalid/named', endpointUrl: 'https://example.invalid/', secret: 'whsec_b3duZXI=' },
      ]);
    });
  });
});
