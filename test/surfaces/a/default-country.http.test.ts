import { beforeAll, describe, expect, it } from 'vitest';
import { setDefaultCountry } from '../../../src/accounts/account-settings.js';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { sharedApp } from '../../support/suite.js';
import { expectErrorV1, expectErrorV2, post, readAccountState, SMS, sendSms, sendV2 } from './requests.js';

const heliograph = sharedApp();
const NATIONAL = '01512 3456789';
const STORED = '4915123456789';
let germanAccount: TestAccount;

beforeAll(async () => {
  germanAccount = await createTestAccount(heliograph.deps);
  await setDefaultCountry(heliograph.deps.prisma, germanAccount.id, 'DE');
});

async function listStoredRecipients(account: TestAccount) {
  const rows = await heliograph.deps.prisma.message.findMany({
    where: { accountId: account.id },
    orderBy: { id: 'asc' },
    select: { recipient: true },
  });
  return rows.map(({ recipient }) => recipient);
}

describe('an account without a default country', () => {
  it('refuses a national number', async () => {
    const account = await createTestAccount(heliograph.deps);
    expectErrorV1(await sendSms(heliograph.app, account, { ...SMS, to: NATIONAL }), 400);
    expectErrorV2(await sendV2(heliograph.app, account, { ...SMS, to: NATIONAL }), 400, ['to']);
    expectErrorV2(await post(heliograph.app, '/v2/estimate', account, { ...SMS, to: NATIONAL }), 400, ['to']);
    expect(await listStoredRecipients(account)).toEqual([]);
  });
});

describe('an account with a default country', () => {
  it('adds the country code to national numbers and echoes them as written', async () => {
    const countBefore = (await listStoredRecipients(germanAccount)).length;
    for (const to of [NATIONAL, '+49 1512 3456789', '0049 15123456789', STORED]) {
      const v1Response = await sendSms(heliograph.app, germanAccount, { ...SMS, to });
      expect(v1Response.json(), v1Response.body).toMatchObject({ status: 'success', to, data: [{ to }] });
      const v2Response = await sendV2(heliograph.app, germanAccount, { ...SMS, to });
      expect(v2Response.json(), v2Response.body).toMatchObject({ status: 'success', data: [{ to }] });
    }
    expect((await listStoredRecipients(germanAccount)).slice(countBefore)).toEqual(Array(8).fill(STORED));
  });

  it('adds the country code to each of several numbers', async () => {
    const countBefore = (await listStoredRecipients(germanAccount)).length;
    const to = [NATIONAL, '+1 500 555 0111'];
    const v1Response = await sendSms(heliograph.app, germanAccount, { ...SMS, to: to.join(', ') });
    expect(v1Response.json().data.map((entry: { to: string }) => entry.to)).toEqual(to);
    const v2Response = await sendV2(heliograph.app, germanAccount, { ...SMS, to });
    expect(v2Response.json().data.map((entry: { to: string }) => entry.to)).toEqual(to);
    expect((await listStoredRecipients(germanAccount)).slice(countBefore)).toEqual([
      STORED,
      '15005550111',
      STORED,
      '15005550111',
    ]);
  });

  it('echoes numbers with non-ASCII digits in a streamed response too', async () => {
    const to = Array.from({ length: 300 }, (_, index) => (index === 0 ? '０1512 3456789' : NATIONAL));
    const response = await sendV2(heliograph.app, germanAccount, { ...SMS, to });
    expect(response.json().data.map((entry: { to: string }) => entry.to)).toEqual(to);
    expect(Number(response.headers['content-length'])).toBe(response.rawPayload.length);
  });

  it('echoes the numbers as written when a request is repeated', async () => {
    const account = await createTestAccount(heliograph.deps);
    await setDefaultCountry(heliograph.deps.prisma, account.id, 'DE');
    const key = { 'idempotency-key': 'default-country' };
    for (const [send, headers] of [
      [sendSms, key],
      [sendV2, { 'idempotency-key': 'default-country-v2' }],
    ] as const) {
      const firstResponse = await send(heliograph.app, account, { ...SMS, to: NATIONAL }, headers);
      const secondResponse = await send(heliograph.app, account, { ...SMS, to: NATIONAL }, headers);
      expect(secondResponse.headers['idempotent-replayed']).toBe('true');
      expect(secondResponse.json()).toEqual(firstResponse.json());
    }
    expect(await listStoredRecipients(account)).toEqual([STORED, STORED]);
  });

  it('refuses the whole send if one number cannot be read', async () => {
    const stateBefore = await readAccountState(heliograph, germanAccount);
    expectErrorV1(await sendSms(heliograph.app, germanAccount, { ...SMS, to: `${NATIONAL},0151` }), 400);
    expectErrorV2(await sendV2(heliograph.app, germanAccount, { ...SMS, to: [NATIONAL, '0151'] }), 400, ['to[1]']);
    expectErrorV2(await sendV2(heliograph.app, germanAccount, { ...SMS, to: '0 1 5 1 2 3 4 5 6 7 8 9' }), 400, ['to']);
    expect(await readAccountState(heliograph, germanAccount)).toEqual(stateBefore);
  });

  it('parses the numbers of an estimate like those of a send', async () => {
    const response = await post(heliograph.app, '/v2/estimate', germanAccount, { ...SMS, to: [NATIONAL, STORED] });
    expect(response.json().data.recipients).toMatchObject([{ to: NATIONAL }, { to: STORED }]);
  });

  it('sends a sign-in code to the same number, whichever format the requests use', async () => {
    const body = { to: NATIONAL, from: 'Acme', app_name: 'Acme' };
    const sendResponse = await post(heliograph.app, '/v2/verifications', germanAccount, body);
    expect(sendResponse.json(), sendResponse.body).toMatchObject({ data: { to: NATIONAL, sends: 1 } });
    const repeatedResponse = await post(heliograph.app, '/v2/verifications', germanAccount, { ...body, to: STORED });
    expect(repeatedResponse.json().data).toMatchObject({ id: sendResponse.json().data.id, to: STORED, sends: 2 });
    const check = { to: '0151 23456789', code: '000000' };
    const checkResponse = await post(heliograph.app, '/v2/verifications/check', germanAccount, check);
    expect(checkResponse.json().data).toMatchObject({ id: sendResponse.json().data.id, to: check.to });
  });
});
