import { beforeAll, describe, expect, it } from 'vitest';
import { toSid } from '../../../src/platform/text/sids.js';
import { createTestAccount, readBalance, type TestAccount } from '../../support/accounts.js';
import { addTemplate } from '../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { suiteApp } from '../../support/suite.js';
import { buildAccountAuth, buildBasicAuth, callTwilio } from '../../support/twilio-calls.js';

// Without a worker, every message stays queued.
const heliograph = suiteApp({ role: 'api' });
const TO = '+15005550111';
let account: TestAccount;
let channel: TestChannel;
let smsChannel: TestChannel;

const send = (form: Record<string, string> | [string, string][], extra: Record<string, string> = {}) =>
  callTwilio(heliograph, account, 'POST', '/Messages.json', form, extra);
const smsForm = (form: Record<string, string> = {}) => ({ To: TO, From: '+15005550100', Body: 'Hello', ...form });
const sendRefused = async (form: Record<string, string> | [string, string][]) => {
  const balanceBefore = await readBalance(heliograph.deps, account.id);
  const { statusCode, body } = await send(form);
  const { code, message, more_info, status } = JSON.parse(body);
  expect(status).toBe(statusCode);
  expect(more_info).toBe(`https://www.twilio.com/docs/errors/${code}`);
  expect(await readBalance(heliograph.deps, account.id)).toBe(balanceBefore);
  return [statusCode, code, message];
};

const getErrorCode = async (form: Record<string, string> | [string, string][]) => (await sendRefused(form)).slice(0, 2);

beforeAll(async () => {
  channel = await createTestChannel(heliograph.deps);
  account = channel.account;
  smsChannel = await createTestChannel(heliograph.deps, account, { kind: 'sms' });
});

describe('POST Messages.json', () => {
  it('accepts an SMS and returns the twenty fields', async () => {
    const balanceBefore = await readBalance(heliograph.deps, account.id);
    const response = await send(smsForm({ ForceDelivery: 'true' }));
    expect(response.statusCode, response.body).toBe(201);
    const { sid, ...otherFields } = response.json();
    expect(sid).toMatch(/^SM[0-9a-f]{32}$/);
    const accountSid = toSid('AC', account.id);
    const path = `/2010-04-01/Accounts/${accountSid}/Messages/${sid}`;
    const date = expect.stringMatching(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000$/);
    expect(otherFields).toEqual({
      body: 'Hello',
      num_segments: '1',
      direction: 'outbound-api',
      from: '+15005550100',
      to: TO,
      date_updated: date,
      price: null,
      error_message: null,
      uri: `${path}.json`,
      account_sid: accountSid,
      num_media: '0',
      status: 'queued',
      messaging_service_sid: null,
      date_sent: null,
      date_created: date,
      error_code: null,
      price_unit: 'USD',
      api_version: '2010-04-01',
      subresource_uris: { media: `${path}/Media.json` },
    });
    expect(await readBalance(heliograph.deps, account.id)).toBeLessThan(balanceBefore);
    for (const ending of ['', '.json']) {
      const fetchResponse = await callTwilio(heliograph, account, 'GET', `/Messages/${sid}${ending}`);
      expect([fetchResponse.statusCode, fetchResponse.json()]).toEqual([200, { sid, ...otherFields }]);
    }
  });

  it('accepts a channel as a messaging service, and a number in written form', async () => {
    const MessagingServiceSid = toSid('MG', smsChannel.channelId);
    const response = await send({ To: '+1 (500) 555-0111', MessagingServiceSid, Body: 'Hello' });
    expect(response.json()).toMatchObject({
      to: TO,
      from: `+${smsChannel.phoneNumber}`,
      messaging_service_sid: MessagingServiceSid,
    });
    expect(
      await getErrorCode({ To: TO, MessagingServiceSid: toSid('MG', channel.channelId), Body: 'x' }),
    ).toMatchObject([400, 21910]);
    const otherChannel = await createTestChannel(heliograph.deps, undefined, { kind: 'sms' });
    expect(
      await getErrorCode({ To: TO, MessagingServiceSid: toSid('MG', otherChannel.channelId), Body: 'x' }),
    ).toMatchObject([400, 21701]);
  });

  it('sends WhatsApp text, a file with the type of its extension, and a template with variables', async () => {
    const whatsappForm = { To: `whatsapp:${TO}`, From: `whatsapp:+${channel.phoneNumber}` };
    const text = await send({ ...whatsappForm, Body: 'Hello' });
    expect(text.json()).toMatchObject({
      from: `whatsapp:+${channel.phoneNumber}`,
      to: `whatsapp:${TO}`,
      messaging_service_sid: toSid('MG', channel.channelId),
    });
    const readContent = async (sid: string) => {
      const id = sid.slice(2).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
      return (await heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id } })).content;
    };
    for (const [file, type] of [
      ['picture.JPG', 'image'],
      ['clip.mp4?x=1', 'video'],
      ['report', 'document'],
    ]) {
      const sendResponse = await send({ ...whatsappForm, Body: 'Look', MediaUrl: `https://example.com/${file}` });
      expect(sendResponse.json(), sendResponse.body).toMatchObject({
        sid: expect.stringMatching(/^MM/),
        num_media: '1',
        body: 'Look',
      });
      expect(await readContent(sendResponse.json().sid)).toMatchObject({ type });
    }
    const template = await addTemplate(heliograph, channel, {
      name: 'order_update',
      components: [
        { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' },
        { type: 'BODY', text: 'Dear {{1}}, it comes {{2}}.' },
        { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Track', url: 'https://example.com/{{1}}' }] },
      ],
    });
    const { id } = await heliograph.deps.prisma.template.findFirstOrThrow({ where: { name: 'order_update' } });
    expect(template).toBeDefined();
    const ContentSid = toSid('HX', id);
    const variables = { '1': 'A-1', '2': 'Ada', '3': 'today', '4': 'A-1/track' };
    const templateResponse = await send({ ...whatsappForm, ContentSid, ContentVariables: JSON.stringify(variables) });
    expect(templateResponse.json(), templateResponse.body).toMatchObject({ body: 'Dear Ada, it comes today.' });
    const refusal = await sendRefused({ ...whatsappForm, ContentSid, ContentVariables: '{"1":"A-1"}' });
    expect(refusal).toMatchObject([400, 21656, expect.stringContaining('ContentVariables')]);
    for (const invalidVariables of ['{', '[]', '{"1":""}', '{"1":1}', 'null']) {
      expect(
        await getErrorCode({ ...whatsappForm, ContentSid, ContentVariables: invalidVariables }),
        invalidVariables,
      ).toMatchObject([400, 21656]);
    }
    expect(await getErrorCode({ ...whatsappForm, ContentSid: toSid('HX', account.id) })).toMatchObject([400, 21655]);
    expect(await getErrorCode({ ...whatsappForm, ContentVariables: '{}' })).toMatchObject([400, 21654]);
    const twoFiles: [string, string][] = [1, 2].map((number) => ['MediaUrl', `https://example.com/${number}.png`]);
    expect(await getErrorCode([...Object.entries(whatsappForm), ...twoFiles])).toMatchObject([400, 21623]);
    expect(await getErrorCode({ ...whatsappForm, MediaUrl: 'ftp://example.com/a' })).toMatchObject([400, 21620]);
    expect(await getErrorCode({ ...whatsappForm, From: 'whatsapp:+15005559999', Body: 'x' })).toMatchObject([
      400, 63007,
    ]);
  });

  it.each([
    ['To', { To: '' }, 21604],
    ['To', { To: '12ab' }, 21211],
    ['To', { To: '+999999999999999999' }, 21211],
    ['From', { From: '' }, 21603],
    ['From', { From: '+()' }, 21603],
    ['From', { From: '+' }, 21603],
    ['From', { From: 'x'.repeat(19) }, 21606],
    ['From', { From: 'Ac\nme' }, 21606],
    ['From', { From: 'Ac\u202eme' }, 21606],
    ['From', { From: 'whatsapp:+15005550100' }, 21910],
    ['Body', { Body: '' }, 21602],
    ['Body', { Body: ' ' }, 21602],
    ['Body', { Body: 'x'.repeat(1601) }, 21617],
    ['MediaUrl', { MediaUrl: 'https://example.com/a.png' }, 21612],
    ['ValidityPeriod', { ValidityPeriod: '0' }, 90007],
    ['ValidityPeriod', { ValidityPeriod: '36001' }, 90007],
    ['ValidityPeriod', { ValidityPeriod: 'x' }, 90007],
    ['ScheduleType', { ScheduleType: 'optimize' }, 35126],
    ['SendAt', { ScheduleType: 'fixed' }, 35111],
    ['SendAt', { ScheduleType: 'fixed', SendAt: '2020-01-01T00:00:00Z' }, 35114],
    ['StatusCallback', { StatusCallback: 'not a url' }, 21609],
    ['StatusCallback', { StatusCallback: 'http://127.0.0.1/' }, 21609],
  ])('names %s if it is %j, with the code %i', async (field, change, code) => {
    expect(await sendRefused(smsForm(change))).toEqual([400, code, expect.stringContaining(`${field} `)]);
  });

  it('treats an empty parameter as absent', async () => {
    const names = ['MessagingServiceSid', 'ContentSid', 'ContentVariables', 'MediaUrl', 'StatusCallback'] as const;
    const emptyParameters = [...names, 'ValidityPeriod', 'ScheduleType', 'SendAt'].map((name): [string, string] => [
      name,
      '',
    ]);
    const whatsappForm = { To: `whatsapp:${TO}`, From: `whatsapp:+${channel.phoneNumber}`, Body: 'Hello' };
    for (const form of [smsForm(), whatsappForm]) {
      const response = await send([...Object.entries(form), ...emptyParameters]);
      expect([response.statusCode, response.json().body, response.json().num_media]).toEqual([201, 'Hello', '0']);
    }
    const files: [string, string][] = ['', 'https://example.com/a.png'].map((url) => ['MediaUrl', url]);
    expect((await send([...Object.entries(whatsappForm), ...files])).json()).toMatchObject({ num_media: '1' });
    expect(await getErrorCode([...Object.entries(smsForm({ Body: '' })), ...emptyParameters])).toEqual([400, 21602]);
  });

  it('refuses a sender ID that the account may not use, and a repeated parameter', async () => {
    const freshAccount = await createTestAccount(heliograph.deps);
    await heliograph.deps.prisma.account.update({ where: { id: freshAccount.id }, data: { senderIds: ['Shop'] } });
    const response = await callTwilio(heliograph, freshAccount, 'POST', '/Messages.json', smsForm());
    expect([response.statusCode, response.json().code]).toEqual([400, 21606]);
    expect(await getErrorCode([...Object.entries(smsForm()), ['Body', 'again']])).toMatchObject([400, 20422]);
  });

  it('returns 402 without credit', async () => {
    const poorAccount = await createTestAccount(heliograph.deps, { creditMicros: 0n });
    const response = await callTwilio(heliograph, poorAccount, 'POST', '/Messages.json', smsForm());
    expect([response.statusCode, response.json().code]).toEqual([402, 30002]);
  });

  it('creates one message per idempotency token in either of the two headers', async () => {
    const key = { 'i-twilio-idempotency-token': 'once' };
    const firstResponse = await send(smsForm({ Body: 'once' }), key);
    const repeatedResponse = await send(smsForm({ Body: 'once' }), key);
    expect(repeatedResponse.json().sid).toBe(firstResponse.json().sid);
    expect(repeatedResponse.headers['idempotent-replayed']).toBe('true');
    expect((await send(smsForm({ Body: 'once' }), { 'idempotency-key': 'once' })).json().sid).toBe(
      firstResponse.json().sid,
    );
    const otherResponse = await send(smsForm({ Body: 'twice' }), key);
    expect([otherResponse.statusCode, otherResponse.json().code]).toEqual([422, 20422]);
  });

  it('schedules a message, and cancels and refunds it', async () => {
    const balanceBefore = await readBalance(heliograph.deps, account.id);
    const SendAt = new Date(heliograph.deps.clock.now().getTime() + 3_600_000).toISOString();
    const sendResponse = await send(smsForm({ ScheduleType: 'fixed', SendAt }));
    expect(sendResponse.json(), sendResponse.body).toMatchObject({ status: 'scheduled' });
    const path = `/Messages/${sendResponse.json().sid}.json`;
    for (const form of [{}, { Status: 'sent' }, { Body: 'x' }, { Body: '', Status: 'canceled' }]) {
      const refusal = await callTwilio(heliograph, account, 'POST', path, form as Record<string, string>);
      expect([refusal.statusCode, refusal.json().code], JSON.stringify(form)).toEqual([400, 30400]);
    }
    const earlyResponse = await callTwilio(heliograph, account, 'POST', path, { Body: '' });
    expect([earlyResponse.statusCode, earlyResponse.json().code]).toEqual([409, 20009]);
    const earlyDeleteResponse = await callTwilio(heliograph, account, 'DELETE', path);
    expect([earlyDeleteResponse.statusCode, earlyDeleteResponse.json().code]).toEqual([409, 20009]);
    const cancelResponse = await callTwilio(heliograph, account, 'POST', path, { Status: 'canceled' });
    expect(cancelResponse.json(), cancelResponse.body).toMatchObject({
      status: 'canceled',
      error_code: null,
      price: null,
    });
    expect(await readBalance(heliograph.deps, account.id)).toBe(balanceBefore);
    const repeatedResponse = await callTwilio(heliograph, account, 'POST', path, { Status: 'canceled' });
    expect([repeatedResponse.statusCode, repeatedResponse.json().code]).toEqual([409, 30409]);
    const redactResponse = await callTwilio(heliograph, account, 'POST', path, { Body: '' });
    expect(redactResponse.json()).toMatchObject({ body: '', status: 'canceled' });
    const deleteResponse = await callTwilio(heliograph, account, 'DELETE', path);
    expect([deleteResponse.statusCode, deleteResponse.body]).toEqual([204, '']);
    const fetchResponse = await callTwilio(heliograph, account, 'GET', path);
    expect([fetchResponse.statusCode, fetchResponse.json().code]).toEqual([404, 20404]);
  });
});

describe('GET Messages.json', () => {
  it('returns pages with relative URIs, filtered by address and day', async () => {
    const freshAccount = await createTestAccount(heliograph.deps);
    const sids: string[] = [];
    for (const [index, From] of ['Shop', '+15005550100', 'Shop', 'Shop'].entries()) {
      const To = index === 3 ? '+15005550112' : TO;
      const sendResponse = await callTwilio(
        heliograph,
        freshAccount,
        'POST',
        '/Messages',
        smsForm({ From, To, Body: `${index}` }),
      );
      sids.unshift(sendResponse.json().sid);
    }
    const foundSids: string[] = [];
    let next: string | null = `/2010-04-01/Accounts/${toSid('AC', freshAccount.id)}/Messages.json?PageSize=2`;
    for (let page = 0; next !== null; page += 1) {
      const response: { statusCode: number; body: string } = await heliograph.app.inject({
        url: next,
        headers: buildAccountAuth(freshAccount),
      });
      expect(response.statusCode, response.body).toBe(200);
      const list = JSON.parse(response.body);
      expect(list).toMatchObject({ page, page_size: 2, start: page * 2, previous_page_uri: null });
      foundSids.push(...list.messages.map(({ sid }: { sid: string }) => sid));
      next = list.next_page_uri;
    }
    expect(foundSids).toEqual(sids);
    const listBodies = async (query: string) => {
      const response = await callTwilio(heliograph, freshAccount, 'GET', `/Messages.json?${query}`);
      expect(response.statusCode, response.body).toBe(200);
      return response.json().messages.map(({ body }: { body: string }) => body);
    };
    expect(await listBodies('From=Shop')).toEqual(['3', '2', '0']);
    expect(await listBodies('From=%2B15005550100')).toEqual(['1']);
    expect(await listBodies('To=%2B15005550112&From=')).toEqual(['3']);
    expect(await listBodies('To=whatsapp:%2B15005550112')).toEqual([]);
    expect(await listBodies('DateSent%3E=2020-01-01')).toEqual([]);
    const sentAt = new Date();
    await heliograph.deps.prisma.message.updateMany({
      where: { accountId: freshAccount.id, body: { in: ['1', '2'] } },
      data: { sentAt },
    });
    // The search uses the day of sending, because the test may run past midnight.
    const today = sentAt.toISOString().slice(0, 10);
    expect(await listBodies(`DateSent=${today}`)).toEqual(['2', '1']);
    expect(await listBodies(`DateSent=${sentAt.toISOString()}`)).toEqual(['2', '1']);
    expect(await listBodies(`DateSent>=${today}`)).toEqual(['2', '1']);
    expect(await listBodies(`DateSent<=${today}`)).toEqual([]);
    expect(await listBodies('DateSent=2020-01-01')).toEqual([]);
    expect(await listBodies('DateSent=9999-12-31')).toEqual([]);
    expect(await listBodies('DateSent<=9999-12-31T23:59:59.999Z')).toEqual(['2', '1']);
    for (const query of ['PageSize=0', 'PageSize=x', 'DateSent=x', 'PageToken=x', 'To=x']) {
      const response = await callTwilio(heliograph, freshAccount, 'GET', `/Messages.json?${query}`);
      expect([response.statusCode, response.json().code], query).toEqual([400, 20422]);
    }
  });
});

describe('authentication', () => {
  it('requires the SID of the account or key and the key of an app, on its own path only', async () => {
    const otherAccount = await createTestAccount(heliograph.deps);
    const { id: keyId } = await heliograph.deps.prisma.apiKey.findFirstOrThrow({
      where: { accountId: account.id, surface: 'a' },
    });
    const url = `/2010-04-01/Accounts/${toSid('AC', account.id)}/Messages.json`;
    const getStatus = async (headers: Record<string, string>) => {
      const { statusCode, body, headers: responseHeaders } = await heliograph.app.inject({ url, headers });
      return [statusCode, JSON.parse(body).code, responseHeaders['www-authenticate']];
    };
    expect((await getStatus(buildBasicAuth(toSid('AC', account.id), account.apiKey)))[0]).toBe(200);
    expect((await getStatus(buildBasicAuth(toSid('SK', keyId), account.apiKey)))[0]).toBe(200);
    const wrongHeaders = [
      {},
      account.headers,
      buildBasicAuth('', account.apiKey),
      buildBasicAuth(account.id, account.apiKey),
      buildBasicAuth(toSid('AC', otherAccount.id), account.apiKey),
      buildBasicAuth(toSid('AC', account.id), otherAccount.apiKey),
      buildBasicAuth(toSid('SK', account.id), account.apiKey),
      buildBasicAuth(toSid('AC', account.id), channel.headers['x-api-key']),
      buildBasicAuth(toSid('AC', account.id), ''),
      { authorization: 'Basic ====' },
      { authorization: `Basic ${'A'.repeat(2000)}` },
    ];
    for (const headers of wrongHeaders) {
      expect(await getStatus(headers), JSON.stringify(headers)).toEqual([401, 20003, expect.stringMatching(/^Basic /)]);
    }
    const foreignResponse = await heliograph.app.inject({ url, headers: buildAccountAuth(otherAccount) });
    expect([foreignResponse.statusCode, foreignResponse.json().code]).toEqual([404, 20404]);
    const sentMessage = (await send(smsForm())).json();
    for (const method of ['GET', 'POST', 'DELETE'] as const) {
      const response = await callTwilio(heliograph, otherAccount, method, `/Messages/${sentMessage.sid}.json`);
      expect([response.statusCode, response.json().code], method).toEqual([404, 20404]);
    }
  });

  it('returns 403 if the account is disabled or the scope is missing', async () => {
    const disabledAccount = await createTestAccount(heliograph.deps);
    await heliograph.deps.prisma.account.update({ where: { id: disabledAccount.id }, data: { isActive: false } });
    const response = await callTwilio(heliograph, disabledAccount, 'GET', '/Messages.json');
    expect([response.statusCode, response.json().code]).toEqual([403, 20005]);
    const scopelessAccount = await createTestAccount(heliograph.deps, { scopes: [] });
    const refusal = await callTwilio(heliograph, scopelessAccount, 'GET', '/Messages.json');
    expect([refusal.statusCode, refusal.json().code]).toEqual([403, 20403]);
  });

  it('returns errors for unknown resources and invalid forms in Twilio’s format', async () => {
    for (const [method, path] of [
      ['GET', '/2010-04-01'],
      ['GET', '/2010-04-01/Accounts'],
      ['PUT', '/2010-04-01/Accounts/AC1/Messages.json'],
      ['GET', `/2010-04-01/Accounts/${toSid('AC', account.id)}/Calls.json`],
      ['GET', `/2010-04-01/Accounts/${toSid('AC', account.id)}/Messages/nothing.json`],
      ['GET', `/2010-04-01/Accounts/${toSid('AC', account.id)}/Messages/SM%00.json`],
    ] as const) {
      const { statusCode, body } = await heliograph.app.inject({
        method,
        url: path,
        headers: buildAccountAuth(account),
      });
      expect([statusCode, JSON.parse(body).code], path).toEqual(path.includes('%00') ? [400, 20422] : [404, 20404]);
    }
    const url = `/2010-04-01/Accounts/${toSid('AC', account.id)}/Messages.json`;
    const json = await heliograph.app.inject({
      method: 'POST',
      url,
      headers: buildAccountAuth(account),
      payload: { To: TO },
    });
    expect([json.statusCode, json.json().status]).toEqual([415, 415]);
    for (const payload of ['Body=%FF%', 'Body=%00', 'To', '=', '&&&', '__proto__=1', 'constructor=x']) {
      const headers = { ...buildAccountAuth(account), 'content-type': 'application/x-www-form-urlencoded' };
      const response = await heliograph.app.inject({ method: 'POST', url, headers, payload });
      expect(response.statusCode, payload).toBe(400);
      expect(response.json(), payload).toMatchObject({ code: expect.any(Number), status: 400 });
    }
  });
});
