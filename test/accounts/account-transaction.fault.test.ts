import type pg from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockAccounts } from '../../src/accounts/ledger-store.js';
import { AccountLocked } from '../../src/accounts/locked-accounts.js';
import { erasePerson } from '../../src/features/erasure/erase.js';
import { recordHold } from '../../src/messages/accept/guard/hold-store.js';
import { type MeasuredPool, openPool } from '../../src/platform/store/connections/pool.js';
import { readBalance } from '../support/accounts.js';
import { createCampaign } from '../support/campaigns.js';
import { call } from '../support/channel-calls.js';
import { createCampaignChannel, createGroup } from '../support/channel-contents.js';
import type { TestChannel } from '../support/channels.js';
import { createTestOperator, type TestOperator } from '../support/operators.js';
import { accept } from '../support/sends.js';
import { listBlockedStatements } from '../support/store/blocked-statements.js';
import { suiteApp } from '../support/suite.js';
import { type TestApp, testApp } from '../support/test-app.js';
import { waitFor } from '../support/wait-for.js';
import { post, SMS, sendV2 } from '../surfaces/a/requests.js';

const test = suiteApp({ role: 'api', settings: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
/** Number of concurrent requests, more than the pool has connections. */
const CROWD = 40;
let otherPool: MeasuredPool;
let holder: pg.PoolClient;
let lockedChannel: TestChannel;
let freeChannel: TestChannel;
let owner: TestOperator;

beforeEach(async () => {
  otherPool = openPool({ url: test.databaseUrl, size: 2, log: pino({ level: 'silent' }) });
  owner = await createTestOperator(test);
  lockedChannel = await createCampaignChannel(test.deps);
  freeChannel = await createCampaignChannel(test.deps);
  holder = await otherPool.connect();
});
afterEach(async () => {
  holder.release(true);
  await otherPool.end();
});

const lockRow = async () => {
  await holder.query('BEGIN');
  await lockAccounts(holder, [lockedChannel.account.id]);
};
const listBlocked = () => listBlockedStatements(otherPool, holder);
type Request = () => PromiseLike<{ statusCode: number; body: string }>;

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

const prepareConsoleRequest =
  (method: 'POST' | 'PATCH' | 'PUT', path: string, body: object | undefined): Prepare =>
  async ({ account }) =>
  () =>
    owner.ask(method, `/accounts/${account.id}${path}`, body);

const REQUESTS: [string, Prepare][] = [
  ['cancel a message', prepareMessageCancellation],
  ['cancel a campaign', prepareCampaignCancellation],
  [
    'rotate the callback secret',
    async ({ account }) =>
      () =>
        post(test.app, '/v2/callback-secret', account, ''),
  ],
  [
    'use a new callback host',
    async ({ account }) =>
      () =>
        sendV2(test.app, account, { ...SMS, callback_url: 'http://127.0.0.1:9/status' }),
  ],
  ['add credit', prepareConsoleRequest('POST', '/credits', { amount: '1' })],
  ['change settings', prepareConsoleRequest('PATCH', '/settings', { lowBalance: '1' })],
  ['switch the account on', prepareConsoleRequest('PATCH', '', { isActive: true })],
  ['cancel all waiting messages', prepareConsoleRequest('POST', '/cancel-waiting', undefined)],
];

describe('while another session has locked the row of an account', () => {
  it.each(REQUESTS)('requests that %s occupy one connection and do not delay other accounts', async (_, prepare) => {
    const request = await prepare(lockedChannel);
    const freeRequest = await prepare(freeChannel);
    await lockRow();
    const requests = Array.from({ length: CROWD }, () => request());
    await waitFor('the account to be marked as locked', () =>
      test.deps.lockedAccounts.isLocked(lockedChannel.account.id),
    );
    for (let round = 0; round < 5; round += 1) await accept(test.deps, freeChannel.account);
    const { statusCode, body } = await freeRequest();
    expect(statusCode, body).toBe(200);
    await waitFor('one connection to wait', async () => (await listBlocked()).length === 1);
    await holder.query('COMMIT');
    const responses = await Promise.all(requests);
    expect(
      responses.filter((response) => ![200, 409].includes(response.statusCode)).map((response) => response.body),
    ).toEqual([]);
    expect(responses.some((response) => response.statusCode === 200)).toBe(true);
  });

  it('each waiting credit is booked exactly once', async () => {
    const balanceBefore = await readBalance(test.deps, lockedChannel.account.id);
    await lockRow();
    const requests = Array.from({ length: 5 }, () =>
      owner.ask('POST', `/accounts/${lockedChannel.account.id}/credits`, { amount: '1' }),
    );
    await waitFor('one connection to wait', async () => (await listBlocked()).length === 1);
    await holder.query('COMMIT');
    expect((await Promise.all(requests)).map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 200]);
    expect(await readBalance(test.deps, lockedChannel.account.id)).toBe(balanceBefore + 5_000_000n);
  });

  it('a request gets a 503 after DATABASE_TIMEOUT_MS and changes nothing', async () => {
    const impatientApp = await testApp({ role: 'api', sharesWith: test, settings: { DATABASE_TIMEOUT_MS: '1000' } });
    try {
      const request = await prepareMessageCancellation(lockedChannel, impatientApp);
      const balanceBefore = await readBalance(test.deps, lockedChannel.account.id);
      await lockRow();
      const { statusCode } = await request();
      expect(statusCode).toBe(503);
      await holder.query('COMMIT');
      expect(await readBalance(test.deps, lockedChannel.account.id)).toBe(balanceBefore);
      expect(
        await test.deps.prisma.message.count({ where: { accountId: lockedChannel.account.id, status: 'queued' } }),
      ).toBe(1);
    } finally {
      await impatientApp.close();
    }
  });

  it('a hold on numbers fails at once and can be recorded after the lock is released', async () => {
    await lockRow();
    const hold = (accountId: string) =>
      recordHold(
        test.deps.pool,
        { accountId, prefix: '1500', reason: 'receipts', messages: 5, minutes: 60 },
        new Date(),
      );
    await expect(hold(lockedChannel.account.id)).rejects.toThrow(AccountLocked);
    await expect(hold(freeChannel.account.id)).resolves.toBe(true);
    await holder.query('COMMIT');
    await expect(hold(lockedChannel.account.id)).resolves.toBe(true);
  });

  it('the erasure of a person waits until the account is free', async () => {
    const phone = '15005550177';
    const messageIds = await accept(test.deps, lockedChannel.account, { to: phone });
    await lockRow();
    const erasure = erasePerson(test.deps, { address: phone, accountId: lockedChannel.account.id }, { waitMs: 0 });
    await waitFor('the account to be found locked', () => test.deps.lockedAccounts.isLocked(lockedChannel.account.id));
    await accept(test.deps, freeChannel.account);
    await holder.query('COMMIT');
    expect((await erasure).waiting).toBe(messageIds.length);
  });
});
