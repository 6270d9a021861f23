import { describe, expect, it } from 'vitest';
import { createTestAccount } from '../../support/accounts.js';
import { forSuite } from '../../support/for-suite.js';
import { ManualClock } from '../../support/manual-clock.js';
import { suiteApp } from '../../support/suite.js';
import { testApp } from '../../support/test-app.js';
import { expectErrorV1, expectErrorV2, get, NUMBER, sendSms, sendV2 } from './requests.js';

const NOW = '2027-01-15T12:00:00.000Z';
const SMS = { to: NUMBER, from: 'Heliograph', message: 'Hello' };
const DAY_MS = 24 * 60 * 60 * 1000;

const clock = new ManualClock(NOW);
const heliograph = suiteApp({ role: 'api', clock });
const account = forSuite(() => createTestAccount(heliograph.deps));

const send = (body: object, headers = {}) => sendV2(heliograph.app, account, { ...SMS, ...body }, headers);
const fromNow = (milliseconds: number) => new Date(Date.parse(NOW) + milliseconds).toISOString();

async function sendAndRead(body: object) {
  const response = await send(body);
  expect(response.statusCode, response.body).toBe(200);
  const id = response.json().data[0].message_id;
  const status = (await get(heliograph.app, `/v2/messages/${id}`, account)).json().data;
  const { rows } = await heliograph.deps.pool.query<{ wait: number | null; look: number }>(
    `SELECT extract(epoch FROM not_before - now())::float AS wait, extract(epoch FROM next_look - now())::float AS look
     FROM messages WHERE id = $1`,
    [id],
  );
  return { ...status, wait: rows[0]?.wait, look: rows[0]?.look };
}

describe('scheduled_at of POST /v2/send', () => {
  it("keeps the message queued until then by PostgreSQL's clock, and starts its validity period then", async () => {
    const message = await sendAndRead({ scheduled_at: '2027-01-15T14:30:00+01:00' });
    expect(message).toMatchObject({
      status: 'queued',
      attempts: 0,
      scheduled_at: fromNow(90 * 60_000),
      valid_until: fromNow(90 * 60_000 + 2 * DAY_MS),
      history: [{ status: 'queued', timestamp: NOW }],
    });
    expect(message.wait).toBeGreaterThan(89 * 60);
    expect(message.wait).toBeLessThanOrEqual(90 * 60);
    expect(message.look).toBe(message.wait);
  });

  it.each([
    ['2027-01-15T12:00:00.001Z', 1],
    ['2027-01-15T12:01Z', 60_000],
    ['2027-02-14T12:00:00Z', 30 * DAY_MS],
    ['2027-01-15T23:59:00.123456789+09:00', 10_740_123],
  ])('is accepted as %s', async (scheduled_at, expected) => {
    expect(await sendAndRead({ scheduled_at })).toMatchObject({ scheduled_at: fromNow(expected) });
  });

  it.each(['2027-01-15T12:00:00Z', '2027-01-15T11:59:00Z', '2027-01-15T12:59:30+01:00'])(
    'counts as now if it is at most a minute ago: %s',
    async (scheduled_at) => {
      expect(await sendAndRead({ scheduled_at })).toMatchObject({
        scheduled_at: null,
        valid_until: fromNow(2 * DAY_MS),
        wait: null,
      });
    },
  );

  it.each([
    '2027-01-15T11:58:59.999Z',
    '2026-01-15T12:00:00Z',
    '2027-02-14T12:00:00.001Z',
    '9999-12-31T23:59:59Z',
    '2027-02-30T12:00:00Z',
    '2027-01-16T12:00:00',
    '2027-01-16',
    '2027-01-16 12:00:00Z',
    '2027-01-16T24:00:01Z',
    '2027-01-16T12:00:00+25:00',
    'tomorrow',
    '',
    1_800_100_000,
    ['2027-01-16T12:00:00Z'],
  ])('is refused as %j, and nothing is queued', async (scheduled_at) => {
    const countBefore = await heliograph.deps.prisma.message.count();
    const rule = expect.stringMatching(/^scheduled_at must be an ISO 8601 timestamp .*at most 30 days ahead$/);
    expectErrorV2(await send({ scheduled_at }), 400, ['scheduled_at'], rule);
    expect(await heliograph.deps.prisma.message.count()).toBe(countBefore);
  });

  it('applies to every recipient', async () => {
    const response = await send({ to: ['15005550111', '15005550112'], scheduled_at: fromNow(DAY_MS) });
    const ids = response.json().data.map(({ message_id }: { message_id: string }) => message_id);
    const rows = await heliograph.deps.prisma.message.findMany({ where: { id: { in: ids } } });
    expect(rows.map(({ scheduledAt }) => scheduledAt?.toISOString())).toEqual([fromNow(DAY_MS), fromNow(DAY_MS)]);
  });

  it('is not checked again when a request is repeated, even after that time', async () => {
    const otherClock = new ManualClock(NOW);
    const otherApp = await testApp({ sharesWith: heliograph, role: 'api', clock: otherClock });
    try {
      const body = { ...SMS, scheduled_at: fromNow(60_000) };
      const headers = { 'idempotency-key': 'scheduled' };
      const firstResponse = await sendV2(otherApp.app, account, body, headers);
      expect(firstResponse.statusCode).toBe(200);
      otherClock.advance(60 * 60_000);
      const secondResponse = await sendV2(otherApp.app, account, body, headers);
      expect(secondResponse.headers['idempotent-replayed']).toBe('true');
      expect(secondResponse.json()).toEqual(firstResponse.json());
      const otherBodyResponse = await sendV2(
        otherApp.app,
        account,
        { ...body, scheduled_at: fromNow(2 * 60 * 60_000) },
        headers,
      );
      expectErrorV2(otherBodyResponse, 422);
    } finally {
      await otherApp.close();
    }
  });
});

describe('validity_period of POST /v2/send', () => {
  it.each([1, 300, 604_800])('starts now or at scheduled_at: %d seconds', async (validity_period) => {
    expect(await sendAndRead({ validity_period })).toMatchObject({ valid_until: fromNow(validity_period * 1000) });
    expect(await sendAndRead({ validity_period, scheduled_at: fromNow(DAY_MS) })).toMatchObject({
      valid_until: fromNow(DAY_MS + validity_period * 1000),
    });
  });

  it.each([0, -1, 604_801, 1.5, '300', true, [300]])('is refused as %j', async (validity_period) => {
    const rule = 'validity_period must be an integer from 1 to 604800';
    expectErrorV2(await send({ validity_period }), 400, ['validity_period'], rule);
  });
});

describe('valid_until of POST /v2/send', () => {
  it('is an absolute time, at most 7 days after the start', async () => {
    const scheduled_at = fromNow(DAY_MS);
    for (const [validUntil, expected] of [
      [fromNow(60_000), fromNow(60_000)],
      [fromNow(30 * DAY_MS), fromNow(7 * DAY_MS)],
    ]) {
      expect(await sendAndRead({ valid_until: validUntil })).toMatchObject({ valid_until: expected });
    }
    expect(await sendAndRead({ valid_until: fromNow(DAY_MS + 5_000), scheduled_at })).toMatchObject({
      valid_until: fromNow(DAY_MS + 5_000),
    });
  });

  it.each<[string, object]>([
    ['not a timestamp', { valid_until: 'tomorrow' }],
    ['in the past', { valid_until: fromNow(-1_000) }],
    ['before scheduled_at', { valid_until: fromNow(1_000), scheduled_at: fromNow(60_000) }],
    ['sent together with validity_period', { valid_until: fromNow(1_000), validity_period: 1 }],
  ])('is refused if it is %s', async (_, body) => {
    expectErrorV2(await send(body), 400, ['valid_until'], expect.stringMatching(/^valid_until must/));
  });
});

describe('the optional fields of POST /v1.0/sms/send', () => {
  const sendV1 = (body: object) => sendSms(heliograph.app, account, { ...SMS, ...body });

  it('work like on /v2/send: scheduled_at, validity_period and priority', async () => {
    const response = await sendV1({ scheduled_at: fromNow(60 * 60_000), validity_period: 300, priority: 3 });
    expect(response.statusCode, response.body).toBe(200);
    const status = (await get(heliograph.app, `/v2/messages/${response.json().message_id}`, account)).json().data;
    expect(status).toMatchObject({
      status: 'queued',
      attempts: 0,
      priority: 3,
      scheduled_at: fromNow(60 * 60_000),
      valid_until: fromNow(60 * 60_000 + 300_000),
    });
  });

  it('apply to every recipient', async () => {
    const to = '15005550111,+15005550112';
    const ids = (await sendV1({ to, scheduled_at: fromNow(DAY_MS), priority: 1 })).json().data;
    const rows = await heliograph.deps.prisma.message.findMany({
      where: { id: { in: ids.map(({ message_id }: { message_id: string }) => message_id) } },
    });
    expect(rows.map(({ scheduledAt, priority }) => [scheduledAt?.toISOString(), priority])).toEqual([
      [fromNow(DAY_MS), 1],
      [fromNow(DAY_MS), 1],
    ]);
  });

  it.each([
    [{ scheduled_at: '2026-01-15T12:00:00Z' }, /^scheduled_at must be an ISO 8601 timestamp/],
    [{ scheduled_at: 1 }, /^scheduled_at must be an ISO 8601 timestamp/],
    [{ scheduled_at: 'x', to: '12' }, /^to has an invalid phone number.*; scheduled_at must be/],
    [{ validity_period: 0 }, /^validity_period must be an integer from 1 to 604800$/],
    [{ priority: 4 }, /^priority must be an integer from 0 to 3$/],
    [{ priority: 'high' }, /^priority must be an integer from 0 to 3$/],
    [{ fallback: { channel: 'sms', from: 'Shop' } }, /^fallback must not be sent with an SMS$/],
  ])('are refused as %j, and nothing is queued', async (body, message) => {
    const countBefore = await heliograph.deps.prisma.message.count();
    expectErrorV1(await sendV1(body), 400, expect.stringMatching(message));
    expect(await heliograph.deps.prisma.message.count()).toBe(countBefore);
  });

  it('count as absent if null', async () => {
    const response = await sendV1({ scheduled_at: null, validity_period: null, priority: null, fallback: null });
    expect(response.statusCode, response.body).toBe(200);
  });
});
