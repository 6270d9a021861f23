import { beforeEach, expect, it } from 'vitest';
import { type QuietHours, setQuietHours } from '../../../src/messages/quiet-hours/settings.js';
import { newId } from '../../../src/platform/ids.js';
import { withResolvers } from '../../../src/platform/with-resolvers.js';
import { createTestAccount, readBalance, type TestAccount } from '../../support/accounts.js';
import { describeEachBackend } from '../../support/backends.js';
import {
  addScriptedCarrier,
  createScriptedType,
  type ScriptedCarrier,
} from '../../support/carriers/scripted-carrier.js';
import { waitForStatus } from '../../support/messages.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

const CREDIT = 100_000_000n;
const HOUR_MS = 3_600_000;
const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6] as const;
const FRENCH = '33612345678';

/** A clock that shows a chosen time and runs. */
class SetClock {
  #offset = 0;
  now() {
    return new Date(Date.now() + this.#offset);
  }
  set(time: string) {
    this.#offset = Date.parse(time) - Date.now();
  }
}

describeEachBackend('quiet hours', (backend) => {
  const clock = new SetClock();
  const type = createScriptedType();
  const heliograph = suiteApp({ backend, clock, carrierTypes: [type] });
  let account: TestAccount;

  const DAYTIME = {
    name: 'daytime',
    countries: [],
    windows: [{ days: EVERY_DAY, from: 8 * 60, to: 21 * 60 }],
    closedDates: [],
  };
  async function setHours(quietHours: Partial<QuietHours>) {
    const full = { presets: [], rules: [], includesTransactional: false, ...quietHours };
    await setQuietHours(heliograph.deps.prisma, account.id, full);
    await heliograph.deps.quietAccounts.reload();
  }
  async function send(body: object = {}): Promise<string> {
    const payload = { to: FRENCH, from: 'Shop', message: 'Sale', purpose: 'marketing', ...body };
    const response = await heliograph.app.inject({
      method: 'POST',
      url: '/v2/send',
      headers: account.headers,
      payload,
    });
    expect(response.statusCode, response.body).toBe(200);
    return response.json().data[0].message_id;
  }
  const view = async (id: string) => {
    const url = `/v2/messages/${id}`;
    return (await heliograph.app.inject({ method: 'GET', url, headers: account.headers })).json().data;
  };
  const waitForHold = (id: string) =>
    waitFor(`message ${id} to be held`, async () => {
      const data = await view(id);
      return data.held_until !== null && data;
    });
  /** Makes a held message due immediately, as PostgreSQL's clock does at the end of the hold. */
  const bringForward = (id: string) =>
    heliograph.deps.pool.query(
      "UPDATE messages SET not_before = now() - interval '1 second', next_look = now() - interval '1 second' WHERE id = $1",
      [id],
    );

  beforeEach(async () => {
    clock.set('2027-01-13T22:30:00Z');
    account = await createTestAccount(heliograph.deps);
  });

  it('a marketing message is held until the hours open, and then leaves once with its whole validity', async () => {
    await setHours({ presets: ['fr'] });
    const acceptedAt = clock.now().getTime();
    const id = await send({ validity_period: 3600 });
    const heldMessage = await waitForHold(id);
    expect(heldMessage).toMatchObject({
      status: 'queued',
      held_until: '2027-01-14T09:00:00.000Z',
      history: [{ status: 'queued' }],
      holds: [{ reason: 'Held until 10:00 Europe/Paris: quiet hours, FR marketing.' }],
    });
    const validityMs = Date.parse(heldMessage.valid_until) - Date.parse(heldMessage.held_until);
    expect(validityMs).toBeGreaterThan(HOUR_MS - 60_000);
    expect(validityMs).toBeLessThanOrEqual(HOUR_MS);
    const { rows } = await heliograph.deps.pool.query<{ ms: number }>(
      'SELECT extract(epoch FROM not_before - now())::float8 * 1000 AS ms FROM messages WHERE id = $1',
      [id],
    );
    const waitMs = Date.parse(heldMessage.held_until) - acceptedAt;
    expect(rows[0]?.ms).toBeLessThanOrEqual(waitMs);
    expect(rows[0]?.ms).toBeGreaterThan(waitMs - 60_000);
    clock.set('2027-01-14T09:00:01Z');
    await bringForward(id);
    await waitForStatus(heliograph, [id], 'delivered');
    expect(await view(id)).toMatchObject({ held_until: null, holds: [{}] });
    expect(await readBalance(heliograph.deps, account.id)).toBe(CREDIT - 10_000n);
  });

  it('a message that becomes due before the hours open is held again', async () => {
    await setHours({ presets: ['fr'] });
    const id = await send();
    await waitForHold(id);
    await bringForward(id);
    await waitFor('a second hold', async () => (await view(id)).holds.length === 2);
    expect(await view(id)).toMatchObject({ status: 'queued', held_until: '2027-01-14T09:00:00.000Z' });
  });

  it('a held message can be canceled, is refunded and never leaves', async () => {
    await setHours({ presets: ['fr'] });
    const id = await send();
    await waitForHold(id);
    const url = `/v2/messages/${id}/cancel`;
    const response = await heliograph.app.inject({ method: 'POST', url, headers: account.headers });
    expect(response.statusCode, response.body).toBe(200);
    expect(await view(id)).toMatchObject({ status: 'canceled', refunded: true, held_until: null });
    expect(await readBalance(heliograph.deps, account.id)).toBe(CREDIT);
  });

  it('transactional messages, other countries and other accounts are not held', async () => {
    await setHours({ presets: ['fr'] });
    const ids = [await send({ purpose: 'transactional' }), await send({ to: '447400123456' })];
    account = await createTestAccount(heliograph.deps);
    ids.push(await send());
    await waitForStatus(heliograph, ids, 'delivered');
  });

  it('transactional messages are held if the account chooses so', async () => {
    await setHours({ rules: [DAYTIME], includesTransactional: true });
    const heldMessage = await waitForHold(await send({ purpose: 'transactional' }));
    expect(heldMessage.holds).toMatchObject([
      { reason: 'Held until 08:00 Europe/Paris: quiet hours, daytime transactional.' },
    ]);
  });

  it('a message expires and is refunded if no moment within seven days is allowed', async () => {
    const closedDates = Array.from({ length: 9 }, (_, day) => `2027-01-${13 + day}`);
    await setHours({ rules: [{ ...DAYTIME, closedDates }] });
    const id = await send();
    await waitForStatus(heliograph, [id], 'expired');
    expect(await view(id)).toMatchObject({ refunded: true, error: { code: 'QUIET_HOURS' } });
    expect(await readBalance(heliograph.deps, account.id)).toBe(CREDIT);
  });

  it('a message that a slow carrier delays into quiet hours does not leave, and its validity ends before them', async () => {
    clock.set('2027-01-14T19:59:00Z');
    await setHours({ rules: [DAYTIME] });
    const name = `slow-${newId().slice(-8)}`;
    await addScriptedCarrier(heliograph.deps, name);
    await heliograph.deps.prisma.route.create({ data: { id: newId(), accountId: account.id, carriers: [name] } });
    await Promise.all([heliograph.deps.carriers.reload(), heliograph.deps.routing.reload()]);
    const carrier = type.opened.get(name) as ScriptedCarrier;
    const { promise, resolve } = withResolvers();
    const departed: string[] = [];
    carrier.script = async ({ id, departure }) => {
      await promise;
      await departure?.check();
      departed.push(id);
      return { carrierMessageId: id };
    };
    const id = await send();
    await waitFor('the carrier to have it', () => carrier.submitted.length === 1);
    expect(carrier.submitted[0]?.validUntil.toISOString()).toBe('2027-01-14T20:00:00.000Z');
    clock.set('2027-01-14T20:00:01Z');
    resolve();
    expect(await waitForHold(id)).toMatchObject({ status: 'queued', held_until: '2027-01-15T07:00:00.000Z' });
    expect(departed).toEqual([]);
    clock.set('2027-01-15T07:00:01Z');
    await bringForward(id);
    await waitForStatus(heliograph, [id], 'sent');
    expect(departed).toEqual([id]);
  });
});
