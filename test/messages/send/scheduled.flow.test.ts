import { beforeEach, expect, it } from 'vitest';
import { createTestAccount, readBalance, type TestAccount } from '../../support/accounts.js';
import { describeEachBackend } from '../../support/backends.js';
import { ShiftedClock } from '../../support/manual-clock.js';
import { waitForStatus } from '../../support/messages.js';
import { suiteApp } from '../../support/suite.js';
import { testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';

const SMS = { to: '15005550111', from: 'Heliograph', message: 'Hello' };

describeEachBackend('scheduled messages', (backend) => {
  const clock = new ShiftedClock();
  const heliograph = suiteApp({ backend, clock });
  let account: TestAccount;

  beforeEach(async () => {
    account = await createTestAccount(heliograph.deps);
  });

  async function acceptSms(body: object, server = heliograph): Promise<string> {
    const response = await server.app.inject({
      method: 'POST',
      url: '/v2/send',
      headers: account.headers,
      payload: { ...SMS, ...body },
    });
    expect(response.statusCode, response.body).toBe(200);
    return response.json().data[0].message_id;
  }
  const findMessage = (id: string) => heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id } });
  const toTimeIn = (milliseconds: number) => new Date(clock.now().getTime() + milliseconds).toISOString();
  const readOwnBalance = () => readBalance(heliograph.deps, account.id);
  /** Makes a message due immediately, so that the test does not wait for days. */
  const bringForward = (id: string) =>
    heliograph.deps.pool.query(
      "UPDATE messages SET not_before = now() - interval '1 second', next_look = now() - interval '1 second' WHERE id = $1",
      [id],
    );

  /** Sends a scheduled message, then an ordinary one, and resolves once the ordinary message is delivered. */
  async function overtake(delayMs: number) {
    const scheduledId = await acceptSms({ scheduled_at: toTimeIn(delayMs), priority: 3 });
    await waitForStatus(heliograph, [await acceptSms({})], 'delivered');
    const { status, attempts } = await findMessage(scheduledId);
    return { scheduledId, status, attempts };
  }

  it('a scheduled message is sent at its time, not before, and others overtake it', async () => {
    let overtaken = await overtake(4_000);
    // On a slow machine, the time may come before the ordinary message is delivered.
    for (let delayMs = 8_000; overtaken.status !== 'queued' && delayMs < 60_000; delayMs *= 2) {
      await waitForStatus(heliograph, [overtaken.scheduledId], 'delivered');
      overtaken = await overtake(delayMs);
    }
    expect(overtaken).toMatchObject({ status: 'queued', attempts: 0 });
    await waitForStatus(heliograph, [overtaken.scheduledId], 'delivered');
    const { sendingAt, scheduledAt, attempts } = await findMessage(overtaken.scheduledId);
    expect(Number(sendingAt)).toBeGreaterThanOrEqual(Number(scheduledAt));
    expect(attempts).toBe(1);
    const messageCount = await heliograph.deps.prisma.message.count({ where: { accountId: account.id } });
    expect(await readOwnBalance()).toBe(100_000_000n - BigInt(messageCount) * 10_000n);
  });

  it('a canceled scheduled message never leaves', async () => {
    const [canceled, other] = [
      await acceptSms({ scheduled_at: toTimeIn(60_000) }),
      await acceptSms({ scheduled_at: toTimeIn(60_000) }),
    ];
    const url = `/v2/messages/${canceled}/cancel`;
    const response = await heliograph.app.inject({ method: 'POST', url, headers: account.headers });
    expect(response.statusCode).toBe(200);
    for (const id of [canceled, other]) await bringForward(id);
    await waitForStatus(heliograph, [other], 'delivered');
    expect(await findMessage(canceled)).toMatchObject({
      status: 'canceled',
      refunded: true,
      attempts: 0,
      sentAt: null,
    });
    expect(await readOwnBalance()).toBe(99_990_000n);
  });

  it('a scheduled message that became due while no worker ran leaves once one does', async () => {
    const api = await testApp({ backend, role: 'api' });
    try {
      account = await createTestAccount(api.deps);
      const id = await acceptSms({ scheduled_at: new Date(Date.now() + 500).toISOString() }, api);
      const findDue = async () => {
        const { rows } = await api.deps.pool.query('SELECT not_before <= now() AS due FROM messages WHERE id = $1', [
          id,
        ]);
        return rows[0].due;
      };
      await waitFor('the message to be due', findDue);
      const worker = await testApp({ sharesWith: api, role: 'worker' });
      await waitForStatus(api, [id], 'delivered').finally(() => worker.close());
    } finally {
      await api.close();
    }
  });

  it('a message that was never submitted is expired and refunded after its validity_period', async () => {
    const api = await testApp({ backend, role: 'api', clock });
    try {
      account = await createTestAccount(api.deps);
      const ids = [
        await acceptSms({ validity_period: 60 }, api),
        await acceptSms({ validity_period: 60, scheduled_at: toTimeIn(30_000) }, api),
        await acceptSms({ validity_period: 3600 }, api),
      ];
      clock.advance(91_000);
      await api.deps.pool.query("UPDATE messages SET not_before = NULL, next_look = now() - interval '1 second'");
      const worker = await testApp({ sharesWith: api, role: 'worker', clock });
      try {
        await waitForStatus(api, ids.slice(0, 2), 'expired');
        await waitForStatus(api, ids.slice(2), 'delivered');
      } finally {
        await worker.close();
      }
      const [expired] = await api.deps.prisma.message.findMany({ where: { id: ids[0] } });
      expect(expired).toMatchObject({ errorCode: 'EXPIRED', refunded: true, sentAt: null });
      expect(await readBalance(api.deps, account.id)).toBe(99_990_000n);
    } finally {
      await api.close();
    }
  });

  it('a message that carriers only refused for now is refunded when it expires between attempts', async () => {
    const id = await acceptSms({ to: '15005550003', validity_period: 2 });
    await waitForStatus(heliograph, [id], 'expired');
    expect(await findMessage(id)).toMatchObject({ errorCode: 'EXPIRED', refunded: true });
    expect(await readOwnBalance()).toBe(100_000_000n);
  });

  it('a message that may have been submitted is not refunded when it expires', async () => {
    const id = await acceptSms({ to: '15005550004', validity_period: 600 });
    await waitFor('the answer to be lost', async () => (await findMessage(id)).maybeAccepted);
    clock.advance(600_000);
    await waitForStatus(heliograph, [id], 'expired');
    expect(await findMessage(id)).toMatchObject({ refunded: false });
    expect(await readOwnBalance()).toBe(99_990_000n);
  });
});
