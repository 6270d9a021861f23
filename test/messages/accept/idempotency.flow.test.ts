import { describe, expect, it } from 'vitest';
import type { SendRequest } from '../../../src/messages/compose/send-request.js';
import { createTestAccount, readBalance, type TestAccount } from '../../support/accounts.js';
import { ControlledFaults } from '../../support/controlled-faults.js';
import { ManualClock } from '../../support/manual-clock.js';
import { listIds, sendRequest, type TestSend } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';
import { testApp } from '../../support/test-app.js';

const PART = 10_000n;
const HOUR_MS = 3_600_000;

describe('Idempotency-Key', () => {
  const clock = new ManualClock();
  const faults = new ControlledFaults();
  const test = suiteApp({ role: 'api', clock, faults });
  const send = (account: TestAccount, options: TestSend) =>
    test.deps.acceptor.accept(sendRequest(account, { key: 'order-1', ...options }));

  it('fifty concurrent requests with one key create one message and one debit', async () => {
    const account = await createTestAccount(test.deps);
    const responses = await Promise.all(Array.from({ length: 50 }, () => send(account, {})));

    expect(new Set(responses.flatMap(listIds)).size).toBe(1);
    expect(responses.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(await test.deps.prisma.message.count({ where: { accountId: account.id } })).toBe(1);
    expect(await readBalance(test.deps, account.id)).toBe(100_000_000n - PART);
  });

  it('requests with one key in two processes create one message and one debit', async () => {
    const otherServer = await testApp({ role: 'api', sharesWith: test, clock });
    try {
      const account = await createTestAccount(test.deps);
      const responses = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          (index % 2 ? test : otherServer).deps.acceptor.accept(sendRequest(account, { key: 'shared' })),
        ),
      );
      expect(new Set(responses.flatMap(listIds)).size).toBe(1);
      expect(await readBalance(test.deps, account.id)).toBe(100_000_000n - PART);
    } finally {
      await otherServer.close();
    }
  });

  it('a repeated request gets the first answer with its recipients in order, text, parts and time', async () => {
    const account = await createTestAccount(test.deps);
    const options = { to: ['15005550102', '15005550100', '15005550100'], body: 'y'.repeat(200) };
    const firstIds = await send(account, options);
    clock.advance(HOUR_MS);
    const secondIds = await send(account, options);

    expect(secondIds).toEqual({ ...firstIds, replayed: true });
  });

  it('a request with another body is refused with IDEMPOTENCY_MISMATCH and changes nothing', async () => {
    const account = await createTestAccount(test.deps);
    await send(account, { body: 'one' });
    await expect(send(account, { body: 'two' })).rejects.toMatchObject({ code: 'IDEMPOTENCY_MISMATCH' });
    expect(await readBalance(test.deps, account.id)).toBe(100_000_000n - PART);
  });

  it('one of two concurrent requests with different bodies is accepted, the other refused', async () => {
    const account = await createTestAccount(test.deps);
    const outcomes = await Promise.allSettled([send(account, { body: 'one' }), send(account, { body: 'two' })]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(outcomes[1]).toMatchObject({ reason: { code: 'IDEMPOTENCY_MISMATCH' } });
    const messages = await test.deps.prisma.message.findMany({ where: { accountId: account.id } });
    expect(messages.map(({ body }) => body)).toEqual(['one']);
    expect(await readBalance(test.deps, account.id)).toBe(100_000_000n - PART);
  });

  it('one of two concurrent requests on different routes is accepted, the other refused', async () => {
    const account = await createTestAccount(test.deps);
    const request = sendRequest(account, { key: 'order-1' });
    const otherRouteKey = { ...request.idempotencyKey, route: 'POST /other' } as NonNullable<
      SendRequest['idempotencyKey']
    >;
    const outcomes = await Promise.allSettled([
      test.deps.acceptor.accept(request),
      test.deps.acceptor.accept({ ...request, idempotencyKey: otherRouteKey }),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(outcomes[1]).toMatchObject({ reason: { code: 'IDEMPOTENCY_MISMATCH' } });
  });

  it('an expired key that was used again on another route repeats the answer of that route', async () => {
    const account = await createTestAccount(test.deps);
    await send(account, {});
    clock.advance(25 * HOUR_MS);
    const request = sendRequest(account, { key: 'order-1', body: 'Later' });
    const key = { ...request.idempotencyKey, route: 'POST /other' } as NonNullable<SendRequest['idempotencyKey']>;
    const repeatRequest = () => test.deps.acceptor.accept({ ...request, idempotencyKey: key });
    const firstIds = await repeatRequest();
    expect(firstIds.replayed).toBe(false);
    expect(await repeatRequest()).toEqual({ ...firstIds, replayed: true });
    await expect(send(account, {})).rejects.toMatchObject({ code: 'IDEMPOTENCY_MISMATCH' });
  });

  it.each(['first', 'last'])('nothing is repeated once the %s of the messages was deleted', async (position) => {
    const account = await createTestAccount(test.deps);
    const to = ['15005550100', '15005550101'];
    const ids = listIds(await send(account, { to }));
    await test.deps.prisma.message.delete({ where: { id: position === 'first' ? ids[0] : ids[1] } });
    await expect(send(account, { to })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await test.deps.prisma.message.count({ where: { accountId: account.id } })).toBe(1);
    expect(await readBalance(test.deps, account.id)).toBe(100_000_000n - 2n * PART);
  });

  it('the same key of another account is independent', async () => {
    const [one, other] = [await createTestAccount(test.deps), await createTestAccount(test.deps)];
    expect(listIds(await send(one, {}))).not.toEqual(listIds(await send(other, {})));
  });

  it('a key can be used again after 24 hours, not before', async () => {
    const account = await createTestAccount(test.deps);
    const firstIds = await send(account, {});
    clock.advance(24 * HOUR_MS - 1_000);
    expect(listIds(await send(account, {}))).toEqual(listIds(firstIds));
    clock.advance(1_000);
    expect(listIds(await send(account, {}))).not.toEqual(listIds(firstIds));
  });

  it('a refused request does not use up the key', async () => {
    const account = await createTestAccount(test.deps, { creditMicros: PART });
    await expect(send(account, { to: ['15005550100', '15005550101'] })).rejects.toMatchObject({
      code: 'INSUFFICIENT_BALANCE',
    });
    expect((await send(account, { to: '15005550100' })).replayed).toBe(false);
  });

  it('the answer is repeated even if the balance is used up in the meantime', async () => {
    const account = await createTestAccount(test.deps, { creditMicros: PART });
    const firstIds = await send(account, {});
    expect(await send(account, {})).toEqual({ ...firstIds, replayed: true });
  });

  it('a repeated request that arrives while the first one fails is attempted itself', async () => {
    const account = await createTestAccount(test.deps);
    faults.fail('accept:committed', new Error('the process stumbled'));
    const outcomes = await Promise.allSettled([
      send(account, { key: 'second-try' }),
      send(account, { key: 'second-try' }),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(await test.deps.prisma.message.count({ where: { accountId: account.id } })).toBe(1);
  });
});
