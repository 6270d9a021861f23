import { Ajv } from 'ajv';
import { beforeAll, describe, expect, it } from 'vitest';
import { formatMoney } from '../../../src/accounts/money.js';
import { newId } from '../../../src/platform/ids.js';
import { toSid } from '../../../src/platform/text/sids.js';
import { createTestAccount, readBalance, type TestAccount } from '../../support/accounts.js';
import { playInbound } from '../../support/channel-calls.js';
import { addTemplate } from '../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { waitForStatus } from '../../support/messages.js';
import { suiteApp } from '../../support/suite.js';
import { buildAccountAuth, callTwilio } from '../../support/twilio-calls.js';
import { ACCOUNT, BALANCE, MEDIA_LIST, MESSAGE, MESSAGES, PARAMETERS, PROBLEM } from './response-schemas.js';

const heliograph = suiteApp();
const ajv = new Ajv({ strict: false, allErrors: true });
let account: TestAccount;
let whatsappChannel: TestChannel;
let smsChannel: TestChannel;

type Form = Record<string, string> | [string, string][];
const request = (method: 'GET' | 'POST' | 'DELETE', path: string, form?: Form) =>
  callTwilio(heliograph, account, method, path, form);
type TestResponse = Awaited<ReturnType<typeof request>>;

function expectDescribed(schema: object, status: number, response: TestResponse) {
  expect(response.statusCode, response.body).toBe(status);
  const body = response.json();
  ajv.validate(schema, body);
  expect(ajv.errors ?? [], response.body).toEqual([]);
  return body;
}
async function send(form: Form) {
  const body = expectDescribed(MESSAGE, 201, await request('POST', '/Messages.json', form));
  return { sid: body.sid as string, ...body };
}
const toUuid = (sid: string) => sid.slice(2).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

beforeAll(async () => {
  whatsappChannel = await createTestChannel(heliograph.deps);
  account = whatsappChannel.account;
  smsChannel = await createTestChannel(heliograph.deps, account, { kind: 'sms' });
});

describe('responses match Twilio’s description', () => {
  it.each([
    ['15005550111', 'delivered', null],
    ['15005550002', 'undelivered', 30003],
  ])('for a message to %s, which is %s', async (to, status, error_code) => {
    const { sid } = await send({ To: `+${to}`, From: 'Shop', Body: 'Hello' });
    await waitForStatus(heliograph, [toUuid(sid)], status as 'delivered');
    const fetchedMessage = expectDescribed(MESSAGE, 200, await request('GET', `/Messages/${sid}.json`));
    expect(fetchedMessage).toMatchObject({ status, error_code });
    expectDescribed(MESSAGE, 200, await request('POST', `/Messages/${sid}.json`, { Body: '' }));
    expectDescribed(MEDIA_LIST, 200, await request('GET', `/Messages/${sid}/Media.json`));
    const deleteResponse = await request('DELETE', `/Messages/${sid}.json`);
    expect([deleteResponse.statusCode, deleteResponse.body]).toEqual([204, '']);
    expectDescribed(PROBLEM, 404, await request('GET', `/Messages/${sid}.json`));
  });

  it('for a canceled message, an inbound message, and lists', async () => {
    const SendAt = new Date(Date.now() + 3_600_000).toISOString();
    const { sid } = await send({ To: '+15005550111', From: 'Shop', Body: 'x', ScheduleType: 'fixed', SendAt });
    expectDescribed(MESSAGE, 200, await request('POST', `/Messages/${sid}.json`, { Status: 'canceled' }));
    await playInbound(heliograph, whatsappChannel, { from: '15005550461', text: 'Hello' });
    await playInbound(heliograph, smsChannel, { from: '15005550461', text: 'Hello' });
    const list = expectDescribed(MESSAGES, 200, await request('GET', '/Messages.json?PageSize=2'));
    expect(list.messages.map(({ direction }: { direction: string }) => direction)).toEqual(['inbound', 'inbound']);
    expect(list.next_page_uri).not.toBeNull();
    expectDescribed(MESSAGES, 200, await request('GET', '/Messages.json?DateSent=2020-01-01'));
  });

  it('for the account and its balance', async () => {
    for (const ending of ['.json', '']) {
      expect(expectDescribed(ACCOUNT, 200, await request('GET', ending))).toMatchObject({
        sid: toSid('AC', account.id),
        friendly_name: 'Test account',
        status: 'active',
        auth_token: null,
      });
      const micros = await readBalance(heliograph.deps, account.id);
      expect(expectDescribed(BALANCE, 200, await request('GET', `/Balance${ending}`))).toEqual({
        account_sid: toSid('AC', account.id),
        balance: formatMoney(micros),
        currency: 'USD',
      });
    }
  });

  it('for another account, which gets the same error as an unknown one', async () => {
    const otherAccount = await createTestAccount(heliograph.deps);
    for (const path of ['.json', '', '/Balance.json', '/Balance']) {
      const url = (id: string) => `/2010-04-01/Accounts/${toSid('AC', id)}${path}`;
      const responses = await Promise.all(
        [otherAccount.id, newId()].map((id) =>
          heliograph.app.inject({ url: url(id), headers: buildAccountAuth(account) }),
        ),
      );
      for (const response of responses) expect(expectDescribed(PROBLEM, 404, response).code).toBe(20404);
      const anonymousResponse = await heliograph.app.inject({ url: url(account.id) });
      expect(expectDescribed(PROBLEM, 401, anonymousResponse).code).toBe(20003);
    }
    // The extension `.json` may follow the account SID only at the end of a path.
    const oddRequest = {
      url: `/2010-04-01/Accounts/${toSid('AC', account.id)}.json/Balance.json`,
      headers: buildAccountAuth(account),
    };
    expectDescribed(PROBLEM, 404, await heliograph.app.inject(oddRequest));
  });

  it('for errors', async () => {
    expectDescribed(PROBLEM, 400, await request('POST', '/Messages.json', { To: 'nobody', From: 'Shop', Body: 'x' }));
    expectDescribed(PROBLEM, 404, await request('POST', '/Messages/nothing/Feedback.json', { Outcome: 'confirmed' }));
  });
});

describe('requests', () => {
  it.each(PARAMETERS)('may have each described parameter: %s=%s', async (name, value) => {
    await send({ To: '+15005550111', From: 'Shop', Body: 'Hello', [name]: value });
  });
});

describe('a client that sends through several channels', () => {
  const StatusCallback =
    'https://example.com/c/t/8eb23e93/status?uuid=0191e180-7d60-7000-aded-7d8b151cbd5b&action=callback';
  const headers = { accept: 'application/json' };
  const post = async (form: Form) =>
    expectDescribed(MESSAGE, 201, await callTwilio(heliograph, account, 'POST', '/Messages.json', form, headers));

  it('sends text by a messaging service, and by a number', async () => {
    const text = { To: '+250788383383', Body: 'Simple Message ☺', StatusCallback };
    const MessagingServiceSid = toSid('MG', smsChannel.channelId);
    expect(await post({ ...text, MessagingServiceSid })).toMatchObject({ body: 'Simple Message ☺', to: text.To });
    expect(await post({ ...text, From: '+12065551212' })).toMatchObject({ from: '+12065551212' });
    for (const Body of [
      'The first part of a long text, which it splits by itself at 1600 characters,',
      'and the second.',
    ]) {
      await post({ ...text, Body, MessagingServiceSid });
    }
  });

  it('sends by WhatsApp with the service and the number, to numbers and to people without one', async () => {
    const From = `whatsapp:+${whatsappChannel.phoneNumber}`;
    const sender = { From, MessagingServiceSid: toSid('MG', whatsappChannel.channelId), StatusCallback };
    for (const To of ['whatsapp:+250788383383', 'whatsapp:US.1234']) {
      expect(await post({ ...sender, To, Body: 'Simple Message ☺' })).toMatchObject({ from: From, to: To });
      expect(await post({ ...sender, To, Body: 'My pic!', MediaUrl: 'https://example.com/image.jpg' })).toMatchObject({
        num_media: '1',
      });
    }
    const components = [{ type: 'BODY', text: 'Dear {{1}}, it comes {{2}}.' }];
    const id = await addTemplate(heliograph, whatsappChannel, { name: 'revive', components });
    const variables = JSON.stringify({ '1': 'Chef: common', '2': 'tomorrow' });
    const template = { ContentSid: toSid('HX', id), ContentVariables: variables };
    expect(await post({ ...sender, To: 'whatsapp:+250788383383', ...template })).toMatchObject({
      body: 'Dear Chef: common, it comes tomorrow.',
    });
  });

  it('gets known error codes, and for an image by SMS the code of an unreachable recipient', async () => {
    const picture = {
      To: '+250788383383',
      From: '+12065551212',
      Body: 'My pic!',
      MediaUrl: 'https://example.com/a.jpg',
    };
    expect(expectDescribed(PROBLEM, 400, await request('POST', '/Messages.json', picture)).code).toBe(21612);
  });
});
