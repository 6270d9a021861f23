import { describe, expect, it } from 'vitest';
import { claimMessages } from '../../../src/messages/send/send-store.js';
import { newId } from '../../../src/platform/ids.js';
import { createTestAccount, readBalance, type TestAccount } from '../../support/accounts.js';
import { sharedApp } from '../../support/suite.js';
import { expectErrorV2, NUMBER, sendV2 } from './requests.js';

const SMS = { to: NUMBER, from: 'Heliograph', message: 'Hello' };

const heliograph = sharedApp({ role: 'api' });
let account: TestAccount;

// Without a worker, accepted messages stay queued.

async function sendAll(body: object = {}): Promise<string[]> {
  account = await createTestAccount(heliograph.deps);
  const response = await sendV2(heliograph.app, account, { ...SMS, ...body });
  return response.json().data.map(({ message_id }: { message_id: string }) => message_id);
}
const cancel = (id: string, caller = account, payload?: object) =>
  heliograph.app.inject({ method: 'POST', url: `/v2/messages/${id}/cancel`, headers: caller.headers, payload });
/** Splits IDs into small groups, so that no request waits for the account lock until it times out. */
const splitIntoRounds = (ids: string[]) =>
  Array.from({ length: Math.ceil(ids.length / 20) }, (_, round) => ids.slice(round * 20, round * 20 + 20));
const getBalance = () => readBalance(heliograph.deps, account.id);
const listRefunds = () =>
  heliograph.deps.prisma.ledgerEntry.findMany({ where: { accountId: account.id, kind: 'refund' } });

describe('POST /v2/messages/{message_id}/cancel', () => {
  it.each([
    ['a queued message', {}],
    ['a scheduled message', { scheduled_at: new Date(Date.now() + 86_400_000).toISOString() }],
  ])('cancels, refunds and returns %s', async (_, body) => {
    const [id] = (await sendAll({ ...body, message: 'x'.repeat(200) })) as [string];
    expect(await getBalance()).toBe(99_980_000n);
    const response = await cancel(id);
    expect(response.statusCode).toBe(200);
    const { data } = response.json();
    expect(data).toMatchObject({
      message_id: id,
      status: 'canceled',
      attempts: 0,
      price: 0.02,
      refunded: true,
      error: { code: 'CANCELED' },
      history: [{ status: 'queued' }, { status: 'canceled', timestamp: expect.any(String) }],
    });
    expect(await getBalance()).toBe(100_000_000n);
    expect(await listRefunds()).toMatchObject([
      { amountMicros: 20_000n, balanceAfterMicros: 100_000_000n, messageCount: 1 },
    ]);
    expect(await claimMessages(heliograph.deps.pool, [id], new Date())).toEqual([]);
    const row = await heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id } });
    expect(row).toMatchObject({ nextLook: null, notBefore: null });
  });

  it('cancels only the given message of a send to many recipients', async () => {
    const ids = await sendAll({ to: ['15005550111', '15005550112', '15005550113'] });
    expect((await cancel(ids[1] as string)).statusCode).toBe(200);
    const rows = await heliograph.deps.prisma.message.findMany({ where: { id: { in: ids } }, orderBy: { id: 'asc' } });
    expect(rows.map(({ status }) => status)).toEqual(['queued', 'canceled', 'queued']);
    expect(await getBalance()).toBe(99_980_000n);
  });

  it('returns 409 for a message that was already sent or canceled, and does not refund it again', async () => {
    const [id] = (await sendAll()) as [string];
    await claimMessages(heliograph.deps.pool, [id], new Date());
    expectErrorV2(
      await cancel(id),
      409,
      [],
      'The message is being sent; only a message that is waiting to be sent can be canceled.',
    );
    expect(await listRefunds()).toEqual([]);

    const [otherId] = (await sendAll()) as [string];
    expect((await cancel(otherId)).statusCode).toBe(200);
    expectErrorV2(
      await cancel(otherId),
      409,
      [],
      'The message was canceled; only a message that is waiting to be sent can be canceled.',
    );
    expect(await listRefunds()).toHaveLength(1);
    expect(await getBalance()).toBe(100_000_000n);
  });

  it('returns 404 for an ID that is unknown, malformed, of another account or of Surface B', async () => {
    const [id] = (await sendAll()) as [string];
    const otherAccount = await createTestAccount(heliograph.deps);
    const foreignResponse = await cancel(id, otherAccount);
    expectErrorV2(foreignResponse, 404);
    expect(foreignResponse.body).toBe((await cancel(newId(), otherAccount)).body);
    expectErrorV2(await cancel('malformed'), 404);
    await heliograph.deps.pool.query("UPDATE messages SET surface = 'b' WHERE id = $1", [id]);
    expectErrorV2(await cancel(id), 404);
    expect((await heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id } })).status).toBe('queued');
    expect(await getBalance()).toBe(99_990_000n);
  });

  it('ignores the body, but refuses invalid JSON with a reason', async () => {
    const [id] = (await sendAll()) as [string];
    const { app } = heliograph;
    const post = (payload: string, type: string) =>
      app.inject({
        method: 'POST',
        url: `/v2/messages/${id}/cancel`,
        headers: { ...account.headers, 'content-type': type },
        payload,
      });
    expectErrorV2(await post('{', 'application/json'), 400);
    expectErrorV2(await post('now', 'text/plain'), 415);
    expect((await heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id } })).status).toBe('queued');
    expect((await cancel(id, account, { anything: [1, { status: 'delivered' }] })).statusCode).toBe(200);

    const document = (await app.inject('/openapi.json')).json();
    const { description, responses } = document.paths['/v2/messages/{message_id}/cancel'].post;
    expect(description).toContain('but must be valid JSON');
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '413', '415']));
  });

  it('either cancels a message or leaves it to the worker that claims it concurrently', async () => {
    const ids = await sendAll({ to: Array(200).fill(NUMBER) });
    const { pool } = heliograph.deps;
    const canceledIds: string[] = [];
    const claimedIds: string[] = [];
    for (const roundIds of splitIntoRounds(ids)) {
      const half = roundIds.length / 2;
      const [cancelResponses, claimed] = await Promise.all([
        Promise.all(roundIds.flatMap((id) => [cancel(id), cancel(id)])),
        Promise.all([
          claimMessages(pool, roundIds.slice(0, half), new Date()),
          ...roundIds.slice(half).map((id) => claimMessages(pool, [id], new Date())),
        ]),
      ]);
      const successes = cancelResponses.filter(({ statusCode }) => statusCode === 200);
      expect(cancelResponses.filter(({ statusCode }) => statusCode === 409)).toHaveLength(
        cancelResponses.length - successes.length,
      );
      canceledIds.push(...successes.map((response) => response.json().data.message_id));
      claimedIds.push(...claimed.flat().map(({ id }) => id));
    }
    expect(new Set(canceledIds).size).toBe(canceledIds.length);
    expect([...canceledIds, ...claimedIds].sort()).toEqual([...ids].sort());
    expect(await getBalance()).toBe(100_000_000n - 10_000n * BigInt(claimedIds.length));
    expect((await listRefunds()).reduce((sum, { messageCount }) => sum + messageCount, 0)).toBe(canceledIds.length);
  });

  describe('canceling a message between two attempts', () => {
    async function sendAndPostpone(to: string | string[], maybeAccepted = false): Promise<string[]> {
      const ids = await sendAll({ to });
      for (const { id, attempt } of await claimMessages(heliograph.deps.pool, ids, new Date())) {
        const reason = { errorCode: 'SMSC_DOWN', errorMessage: 'There is no bind to the SMSC.', maybeAccepted };
        await heliograph.deps.statuses.write({ type: 'retry', id, attempt, delayMs: 0, ...reason });
      }
      return ids;
    }

    it('refunds a message that no carrier accepted once, and no worker claims it again', async () => {
      const [id] = (await sendAndPostpone(NUMBER)) as [string];
      const response = await cancel(id);
      expect(response.statusCode, response.body).toBe(200);
      expect(response.json().data).toMatchObject({ status: 'canceled', attempts: 1, refunded: true });
      expect((await cancel(id)).statusCode).toBe(409);
      expect(await getBalance()).toBe(100_000_000n);
      expect(await listRefunds()).toHaveLength(1);
      expect(await claimMessages(heliograph.deps.pool, [id], new Date())).toEqual([]);
    });

    it('returns 409 if a carrier may have the message, or a worker holds it or died while holding it', async () => {
      const [id] = (await sendAndPostpone(NUMBER, true)) as [string];
      expectErrorV2(
        await cancel(id),
        409,
        [],
        'The message is being sent; only a message that is waiting to be sent can be canceled.',
      );
      await heliograph.deps.pool.query(
        "UPDATE messages SET maybe_accepted = false, lease_until = now() - interval '1 minute' WHERE id = $1",
        [id],
      );
      expect((await cancel(id)).statusCode).toBe(409);
      expect(await listRefunds()).toEqual([]);
    });

    it('either succeeds or leaves the message to a concurrent attempt', async () => {
      const ids = await sendAndPostpone(Array(100).fill(NUMBER));
      const { pool } = heliograph.deps;
      const canceledIds: string[] = [];
      const claimedIds: string[] = [];
      for (const roundIds of splitIntoRounds(ids)) {
        const [cancelResponses, claimed] = await Promise.all([
          Promise.all(roundIds.map((id) => cancel(id))),
          Promise.all(roundIds.map((id) => claimMessages(pool, [id], new Date()))),
        ]);
        const successes = cancelResponses.filter(({ statusCode }) => statusCode === 200);
        canceledIds.push(...successes.map((response) => response.json().data.message_id));
        claimedIds.push(...claimed.flat().map(({ id }) => id));
      }
      expect([...canceledIds, ...claimedIds].sort()).toEqual([...ids].sort());
      expect(await getBalance()).toBe(100_000_000n - 10_000n * BigInt(claimedIds.length));
    });
  });

  it('writes a message.status event to the outbox', async () => {
    const [id] = (await sendAll()) as [string];
    const { prisma } = heliograph.deps;
    const hook = { id: newId(), accountId: account.id, secret: 'whsec_eA==' };
    await prisma.webhook.create({ data: { ...hook, url: 'https://example.com', events: ['message.status'] } });
    await cancel(id);
    const [event] = await prisma.webhookDelivery.findMany({ where: { webhookId: hook.id } });
    expect(event?.data).toMatchObject({ messageId: id, status: 'canceled', errorCode: 'CANCELED' });
  });
});
