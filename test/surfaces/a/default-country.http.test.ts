import { beforeAll, describe, expect, it } from 'vitest';
import { setDefaultCountry } from '../../../src/accounts/account-settings.js';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { sharedApp } from '../../support/suite.js';
import { expectErrorV1, expectErrorV2, post, SMS, sendSms, sendV2, stateOf } from './requests.js';

const heliograph = sharedApp();
const NATIONAL = '01512 3456789';
const STORED = '4915123456789';
let german: TestAccount;

beforeAll(async () => {
  german = await createTestAccount(heliograph.deps);
  await setDefaultCountry(heliograph.deps.prisma, german.id, 'DE');
});

async function storedRecipients(account: TestAccount) {
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
    expect(await storedRecipients(account)).toEqual([]);
  });
});

describe('an account with a default country', () => {
  it('adds the country code to national numbers and echoes them as written', async () => {
    const before = (await storedRecipients(german)).length;
    for (const to of [NATIONAL, '+49 1512 3456789', '0049 15123456789', STORED]) {
      const v1 = await sendSms(heliograph.app, german, { ...SMS, to });
      expect(v1.json(), v1.body).toMatchObject({ status: 'success', to, data: [{ to }] });
      const v2 = await sendV2(heliograph.app, german, { ...SMS, to });
      expect(v2.json(), v2.body).toMatchObject({ status: 'success', data: [{ to }] });
    }
    expect((await storedRecipients(german)).slice(before)).toEqual(Array(8).fill(STORED));
  });

  it('reads each of several numbers', async () => {
    const before = (await storedRecipients(german)).length;
    const to = [NATIONAL, '+1 500 555 0111'];
    const v1 = await sendSms(heliograph.app, german, { ...SMS, to: to.join(', ') });
    expect(v1.json().data.map((each: { to: string }) => each.to)).toEqual(to);
    const v2 = await sendV2(heliograph.app, german, { ...SMS, to });
    expect(v2.json().data.map((each: { to: string }) => each.to)).toEqual(to);
    expect((await storedRecipients(german)).slice(before)).toEqual([STORED, '15005550111', STORED, '15005550111']);
  });

  it('echoes the numbers in a streamed answer too, beyond ASCII', async () => {
    const to = Array.from({ length: 300 }, (_, index) => (index === 0 ? '０1512 3456789' : NATIONAL));
    const answer = await sendV2(heliograph.app, german, { ...SMS, to });
    expect(answer.json().data.map((each: { to: string }) => each.to)).toEqual(to);
    expect(Number(answer.headers['content-length'])).toBe(answer.rawPayload.length);
  });

  it('echoes the numbers as written when a request is repeated', async () => {
    const account = await createTestAccount(heliograph.deps);
    await setDefaultCountry(heliograph.deps.prisma, account.id, 'DE');
    const key = { 'idempotency-key': 'default-country' };
    for (const [send, headers] of [
      [sendSms, key],
      [sendV2, { 'idempotency-key': 'default-country-v2' }],
    ] as const) {
      const first = await send(heliograph.app, account, { ...SMS, to: NATIONAL }, headers);
      const second = await send(heliograph.app, account, { ...SMS, to: NATIONAL }, headers);
      expect(second.headers['idempotent-replayed']).toBe('true');
      expect(second.json()).toEqual(first.json());
    }
    expect(await storedRecipients(account)).toEqual([STORED, STORED]);
  });

  it('refuses the whole send if one number cannot be read', async () => {
    const before = await stateOf(heliograph, german);
    expectErrorV1(await sendSms(heliograph.app, german, { ...SMS, to: `${NATIONAL},0151` }), 400);
    expectErrorV2(await sendV2(heliograph.app, german, { ...SMS, to: [NATIONAL, '0151'] }), 400, ['to[1]']);
    expectErrorV2(await sendV2(heliograph.app, german, { ...SMS, to: '0 1 5 1 2 3 4 5 6 7 8 9' }), 400, ['to']);
    expect(await stateOf(heliograph, german)).toEqual(before);
  });

  it('reads numbers of an estimate like those of a send', async () => {
    const answer = await post(heliograph.app, '/v2/estimate', german, { ...SMS, to: [NATIONAL, STORED] });
    expect(answer.json().data.recipients).toMatchObject([{ to: NATIONAL }, { to: STORED }]);
  });

  it('sends a sign-in code to the number, however the requests write it', async () => {
    const body = { to: NATIONAL, from: 'Acme', app_name: 'Acme' };
    const sent = await post(heliograph.app, '/v2/verifications', german, body);
    expect(sent.json(), sent.body).toMatchObject({ data: { to: NATIONAL, sends: 1 } });
    const again = await post(heliograph.app, '/v2/verifications', german, { ...body, to: STORED });
    expect(again.json().data).toMatchObject({ id: sent.json().data.id, to: STORED, sends: 2 });
    const check = { to: '0151 23456789', code: '000000' };
    const checked = await post(heliograph.app, '/v2/verifications/check', german, check);
    expect(checked.json().data).toMatchObject({ id: sent.json().data.id, to: check.to });
  });
});
