import type pg from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AccountLocked } from '../../src/accounts/held-accounts.js';
import { lockAccounts } from '../../src/accounts/ledger-store.js';
import { erasePerson } from '../../src/features/erasure/erase.js';
import { recordHold } from '../../src/messages/accept/guard/hold-store.js';
import { type MeasuredPool, openPool } from '../../src/platform/store/connections/pool.js';
import { balanceOf } from '../support/accounts.js';
import { createCampaign } from '../support/campaigns.js';
import { call } from '../support/channel-calls.js';
import { createCampaignChannel, createGroup } from '../support/channel-contents.js';
import type { TestChannel } from '../support/channels.js';
import { createTestOperator, type TestOperator } from '../support/operators.js';
import { accept } from '../support/sends.js';
import { statementsBlockedBy } from '../support/store/blocked.js';
import { suiteApp } from '../support/suite.js';
import { type TestApp, testApp } from '../support/test-app.js';
import { waitFor } from '../support/wait-for.js';
import { post, SMS, sendV2 } from '../surfaces/a/requests.js';

const test = suiteApp({ role: 'api', settings: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
/** More than the pool has connections. */
const CROWD = 40;
/** Another session, with connections of its own. */
let others: MeasuredPool;
let holder: pg.PoolClient;
let held: TestChannel;
let free: TestChannel;
let owner: TestOperator;

beforeEach(async () => {
  others = openPool({ url: test.databaseUrl, size: 2, log: pino({ level: 'silent' }) });
  owner = await createTestOperator(test);
  held = await createCampaignChannel(test.deps);
  free = await createCampaignChannel(test.deps);
  holder = await others.connect();
});
afterEach(async () => {
  holder.release(true);
  await others.end();
});

const lockRow = async () => {
  await holder.query('BEGIN');
  await lockAccounts(holder, [held.account.id]);
};
const blocked = () => statementsBlockedBy(others, holder);
type Request = () => PromiseLike<{ statusCode: number; body: string }>;

/** A request that locks the account of a channel, once what it needs has been created. */
type Prepare = (channel: TestChannel) => Promise<Request>;

async function prepareMessageCancellation({ account }: TestChannel, app: TestApp = test): Promise<Request> {
  const [id] = await accept(test.deps, account);
  return () => post(app.app, `/v2/messages/${id}/cancel`, account, '');
}

async function prepareCampaignCancellation(channel: TestChannel): Promise<Request> {
  const group = await createGroup(test.deps, channel, { size: 1 });
  const scheduledAt = new Date(Date.now() + 86_400_000).toISOString();
  const { id } = await createCampaign(test, channel, { groupId: group.id, scheduledAt });
  return () => call(test, channel, 'POST', `/campaigns/${id}/cancel`);
}

const inConsole =
  (method: 'POST' | 'PATCH' | 'PUT', path: string, body: object | undefined): Prepare =>
  async ({ account }) =>
  () =>
    owner.ask(method, `/accounts/${account.id}${path}`, body);

const WAYS: [string, Prepare][] = [
  ['cancel a message', prepareMessageCancellation],
  ['cancel a campaign', prepareCampaignCancellation],
  [
    'replace the secret of callbacks',
    async ({ account }) =>
      () =>
        post(test.app, '/v2/callback-secret', account, ''),
  ],
  [
    'name a new host for callbacks',
    async ({ account }) =>
      () =>
        sendV2(test.app, account, { ...SMS, callback_url: 'http://127.0.0.1:9/status' }),
  ],
  ['add credit', inConsole('POST', '/credits', { amount: '1' })],
  ['change settings', inConsole('PATCH', '/settings', { lowBalance: '1' })],
  ['switch the account on', inConsole('PATCH', '', { isActive: true })],
  ['cancel everything that waits', inConsole('POST', '/cancel-waiting', undefined)],
];

describe('while another session holds the row of one account', () => {
  it.each(WAYS)('requests that %s occupy one connection, and other accounts do not notice', async (_, prepare) => {
    const request = await prepare(held);
    const requestOfOther = await prepare(free);
    await lockRow();
    const waiting = Array.from({ length: CROWD }, () => request());
    await waitFor('the account to be found held', () => test.deps.held.isHeld(held.account.id));
    for (let round = 0; round < 5; round += 1) await accept(test.deps, free.account);
    const { statusCode, body } = await requestOfOther();
    expect(statusCode, body).toBe(200);
    await waitFor('one connection to wait', async () => (await blocked()).length === 1);
    await holder.query('COMMIT');
    const responses = await Promise.all(waiting);
    // A message or campaign is canceled once.
    expect(responses.filter((each) => ![200, 409].includes(each.statusCode)).map((each) => each.body)).toEqual([]);
    expect(responses.some((each) => each.statusCode === 200)).toBe(true);
  });

  it('credits that waited are booked once each', async () => {
    const before = await balanceOf(test.deps, held.account.id);
    await lockRow();
    const waiting = Array.from({ length: 5 }, () =>
      owner.ask('POST', `/accounts/${held.account.id}/credits`, { amount: '1' }),
    );
    await waitFor('one connection to wait', async () => (await blocked()).length === 1);
    await holder.query('COMMIT');
    expect((await Promise.all(waiting)).map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 200]);
    expect(await balanceOf(test.deps, held.account.id)).toBe(before + 5_000_000n);
  });

  it('a request gets 503 after DATABASE_TIMEOUT_MS, and has changed nothing', async () => {
    const impatient = await testApp({ role: 'api', beside: test, settings: { DATABASE_TIMEOUT_MS: '1000' } });
    try {
      const request = await prepareMessageCancellation(held, impatient);
      const before = await balanceOf(test.deps, held.account.id);
      await lockRow();
      const { statusCode } = await request();
      expect(statusCode).toBe(503);
      await holder.query('COMMIT');
      expect(await balanceOf(test.deps, held.account.id)).toBe(before);
      expect(await test.deps.prisma.message.count({ where: { accountId: held.account.id, status: 'queued' } })).toBe(1);
    } finally {
      await impatient.close();
    }
  });

  it('a hold on numbers is recorded later, and nobody waits for it', async () => {
    await lockRow();
    const hold = (accountId: string) =>
      recordHold(
        test.deps.pool,
        { accountId, prefix: '1500', reason: 'receipts', messages: 5, minutes: 60 },
        new Date(),
      );
    await expect(hold(held.account.id)).rejects.toThrow(AccountLocked);
    await expect(hold(free.account.id)).resolves.toBe(true);
    await holder.query('COMMIT');
    await expect(hold(held.account.id)).resolves.toBe(true);
  });

  it('the erasure of a person waits for its turn', async () => {
    const phone = '15005550177';
    const sent = await accept(test.deps, held.account, { to: phone });
    await lockRow();
    const erasing = erasePerson(test.deps, { address: phone, accountId: held.account.id }, { waitMs: 0 });
    await waitFor('the account to be found held', () => test.deps.held.isHeld(held.account.id));
    await accept(test.deps, free.account);
    await holder.query('COMMIT');
    expect((await erasing).waiting).toBe(sent.length);
  });
});
