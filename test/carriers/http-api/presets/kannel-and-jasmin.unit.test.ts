import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { kannel } from '../../../../src/carriers/http-api/presets/kannel.js';
import {
  CALLBACK_SETTINGS,
  createOutbound,
  MESSAGE_ID,
  neverAborted,
  PATH_SECRET,
  receiveCall,
  secretUrl,
  suiteVendor,
  TEXT,
  UCS2_TEXT,
} from '../setup.js';

const { answer, open, stub } = suiteVendor();

describe('the preset kannel', () => {
  const openKannel = () =>
    open({ preset: 'kannel', username: 'user', password: 'pass word&', smscId: 'a', ...CALLBACK_SETTINGS });

  it('the preset kannel sends requests as documented, and identifies messages by our ID', async () => {
    answer(202, '0: Accepted for delivery');
    expect(await openKannel().submit(createOutbound(), neverAborted)).toEqual({ carrierMessageId: MESSAGE_ID });
    expect(openKannel().needsReferences).toBe(false);
    expect(stub.lastRequest).toMatchObject({ method: 'GET', path: '/cgi-bin/sendsms', body: '' });
    expect(Object.fromEntries(stub.lastRequest.query)).toEqual({
      username: 'user',
      password: 'pass word&',
      to: '+15005550010',
      from: 'Heliograph',
      text: TEXT,
      charset: 'UTF-8',
      coding: '0',
      validity: '60',
      smsc: 'a',
      'dlr-mask': '19',
      'dlr-url': `${secretUrl}&status=%d&answer=%A`,
    });
    await openKannel().submit(createOutbound({ body: UCS2_TEXT }), neverAborted);
    expect(stub.lastRequest.query.get('coding')).toBe('2');
  });

  it.each([
    [202, '3: Queued for later delivery', null],
    [403, 'Authorization failed for sendsms', { code: 'HTTP_403', retryable: true }],
    [503, 'Temporal failure, try again later.', { code: 'HTTP_503', retryable: true, answerLost: false }],
    [400, 'Number(s) has/have been denied by white- and/or black-lists.', { code: 'HTTP_400', retryable: false }],
  ])('the preset kannel reads status %s with the body %j', async (status, body, error) => {
    answer(status, body);
    const submission = openKannel().submit(createOutbound(), neverAborted);
    if (error === null) await expect(submission).resolves.toEqual({ carrierMessageId: MESSAGE_ID });
    else await expect(submission).rejects.toMatchObject(error);
  });

  it.each([
    ['1', 'delivered'],
    ['2', 'undelivered'],
    ['16', 'rejected'],
    ['34', 'expired'],
  ])('the preset kannel reads the report %s as %s', (status, expected) => {
    const query = `message=${MESSAGE_ID}&status=${status}&answer=ACK%2F`;
    const { receipts } = receiveCall(openKannel(), { kind: 'receipts', query, secret: PATH_SECRET });
    expect(receipts).toMatchObject([{ carrierMessageId: MESSAGE_ID, messageId: MESSAGE_ID, status: expected }]);
  });

  it('the preset kannel names the attempt in the URL for reports, and reads it back', async () => {
    answer(202, '0: Accepted for delivery');
    const secondAttemptId = `${MESSAGE_ID}-2`;
    expect(await openKannel().submit(createOutbound({ attempt: 2 }), neverAborted)).toEqual({
      carrierMessageId: secondAttemptId,
    });
    expect(stub.lastRequest.query.get('dlr-url')).toBe(`${secretUrl}-2&status=%d&answer=%A`);
    const { receipts } = receiveCall(openKannel(), {
      kind: 'receipts',
      query: `message=${secondAttemptId}&status=2`,
      secret: PATH_SECRET,
    });
    expect(receipts).toMatchObject([{ carrierMessageId: secondAttemptId, messageId: MESSAGE_ID, attempt: 2 }]);
    const withTextStatus = receiveCall(openKannel(), {
      kind: 'receipts',
      query: `message=${MESSAGE_ID}-0&status=1`,
      secret: PATH_SECRET,
    });
    expect(withTextStatus).toMatchObject({ receipts: [], unmatched: [{ reason: 'incomplete' }] });
  });

  it('the preset kannel refuses calls without the secret, and stores unknown IDs as unmatched', () => {
    const query = `message=${MESSAGE_ID}&status=1`;
    for (const secret of [null, 'a-word-of-our-own-4712']) {
      expect(() => receiveCall(openKannel(), { kind: 'receipts', query, secret })).toThrow(
        /lacks the secret in its path/,
      );
    }
    const withoutMessage = receiveCall(openKannel(), {
      kind: 'receipts',
      query: 'message=1&status=1',
      secret: PATH_SECRET,
    });
    expect(withoutMessage).toMatchObject({ receipts: [], unmatched: [{ reason: 'incomplete' }] });
  });

  // The calls are encoded like those of Kannel's smsbox 1.4.5, except that an older version names no alphabet.
  it.each([
    ['GSM', 'Ha%C3%B6lo+%26%E2%82%AC', 'UTF-8', 'Haölo &€'],
    ['UCS-2', '%04%1F%04%40%048%042%045%04B', 'UTF-16BE', 'Привет'],
    ['UCS-2 with blanks and emoji', '%00a%00+%00%2B%00+%D8%3D%DE%00', 'UTF-16BE', 'a + 😀'],
    ['Latin-1', 'Hall%F6chen+%80', 'WINDOWS-1252', 'Hallöchen €'],
    ['data', '%01%FFa', '8-BIT', '\u0001ÿa'],
    ['an unnamed alphabet', 'Hall%C3%B6chen', null, 'Hallöchen'],
    ['UCS-2 with a byte order mark', '%FF%FEH%00i%00', 'UTF-16BE', 'Hi'],
    ['UCS-2 by another name', '%00H%00i', 'UTF-16', 'Hi'],
    ['UCS-2 by a third name', '%00H%00i', 'UCS-2', 'Hi'],
  ])('the preset kannel reads messages in %s', (_, text, charset, body) => {
    const charsetQuery = charset === null ? '' : `&charset=${charset}`;
    const query = `id=b5e03876&from=%2B40722000001&to=15005550006&text=${text}${charsetQuery}`;
    expect(receiveCall(openKannel(), { kind: 'inbound', query, secret: PATH_SECRET }).inbound).toMatchObject([
      { carrierMessageId: 'b5e03876', from: '40722000001', to: '15005550006', body },
    ]);
  });
});

it('the Kannel setup instructions prevent automatic answers and make Kannel retry', () => {
  const page = readFileSync('docs/carriers/http.md', 'utf8');
  const query = /\?id=%I\S*?(?=[."':])/.exec(kannel.help)?.[0];
  expect(query).toBe('?id=%I&from=%p&to=%P&text=%b&charset=%C');
  expect(page).toContain(query);
  const settings = [
    'catch-all = true',
    'max-messages = 0',
    'omit-empty = true',
    'http-request-retry',
    'http-queue-delay',
  ];
  for (const text of [kannel.help, page]) {
    expect(settings.filter((setting) => !text.includes(setting))).toEqual([]);
  }
});

describe('the preset jasmin', () => {
  const openJasmin = () => open({ preset: 'jasmin', username: 'user', password: 'pass', ...CALLBACK_SETTINGS });
  const JASMIN_ID = '07033084-5cfd-4812-90a4-e4d24ffb6e3d';

  it('the preset jasmin sends requests as documented, with the encoded text in hex', async () => {
    answer(200, `Success "${JASMIN_ID}"`);
    expect(await openJasmin().submit(createOutbound({ body: 'Hi @€' }), neverAborted)).toEqual({
      carrierMessageId: JASMIN_ID,
    });
    expect(stub.lastRequest).toMatchObject({ method: 'POST', path: '/send' });
    expect(stub.lastForm).toEqual({
      username: 'user',
      password: 'pass',
      to: '15005550010',
      from: 'Heliograph',
      'hex-content': '486920001b65',
      coding: '0',
      'validity-period': '60',
      dlr: 'yes',
      'dlr-level': '3',
      'dlr-method': 'POST',
      'dlr-url': secretUrl,
    });
    await openJasmin().submit(createOutbound({ body: '你好' }), neverAborted);
    expect(stub.lastForm).toMatchObject({ coding: '8', 'hex-content': '4f60597d' });
  });

  it.each([
    [403, 'Error "Authentication failure for username:user"', { retryable: true, answerLost: false }],
    [403, 'Error "Cannot charge submit_sm, check router log file for details"', { retryable: true }],
    [412, 'Error "No route found"', { retryable: true, answerLost: false }],
    [500, 'Error "Cannot send submit_sm, check SMPPClientManagerPB log file for details"', { answerLost: false }],
    [400, 'Error "Argument [to] has an invalid value: [1]."', { retryable: false }],
  ])('the preset jasmin reads status %s with the body %j', async (status, body, error) => {
    answer(status, body);
    await expect(openJasmin().submit(createOutbound(), neverAborted)).rejects.toMatchObject(error);
  });

  it('the preset jasmin reads reports for the SMSC and the phone, and answers ACK/Jasmin', () => {
    const receiveReceipt = (form: Record<string, string>) =>
      receiveCall(openJasmin(), { kind: 'receipts', query: `message=${MESSAGE_ID}`, form, secret: PATH_SECRET });
    const acceptedReports = receiveReceipt({ id: JASMIN_ID, message_status: 'ESME_ROK', level: '1' });
    expect(acceptedReports).toMatchObject({ receipts: [], unmatched: [], answer: 'ACK/Jasmin' });
    const finalReceipt = { id: JASMIN_ID, id_smsc: '2567', level: '3', donedate: '2611241159', err: '000', text: 'Hi' };
    expect(receiveReceipt({ ...finalReceipt, message_status: 'DELIVRD' }).receipts).toMatchObject([
      { carrierMessageId: JASMIN_ID, status: 'delivered' },
    ]);
    expect(receiveReceipt({ ...finalReceipt, message_status: 'UNDELIV', err: '027' }).receipts).toMatchObject([
      { status: 'undelivered', errorCode: '027', errorMessage: 'Jasmin (/send) reports UNDELIV, code 027.' },
    ]);
    expect(receiveReceipt({ id: JASMIN_ID, message_status: 'ESME_RINVDSTADR', level: '1' }).receipts).toMatchObject([
      { status: 'rejected', errorCode: 'ESME_RINVDSTADR' },
    ]);
  });

  it('the preset jasmin reads messages, decoding UCS-2 from their octets', () => {
    const form = { id: 'mo-1', from: '+40722000001', to: '15005550006', 'origin-connector': 'c', coding: '0' };
    const read = (overrides: object) =>
      receiveCall(openJasmin(), { kind: 'inbound', form: { ...form, ...overrides }, secret: PATH_SECRET }).inbound[0]
        ?.body;
    expect(read({ content: 'Hello', binary: '48656c6c6f' })).toBe('Hello');
    expect(read({ coding: '8', content: 'O`Y}', binary: '4f60597d' })).toBe('你好');
  });

  it.each([
    ['0', '0576056e656d656e74', 'événement'],
    ['3', 'e976e96e656d656e74', 'événement'],
    ['1', '53544f50', 'STOP'],
    ['6', 'bfe0d8d2d5e2', 'Привет'],
    ['14', 'b0a1b3aa', '가나'],
    ['8', 'fffe48006900', 'Hi'],
    ['8', '00480069', 'Hi'],
    ['240', '00', '@'],
    ['0', 'c3a9', 'é'],
    ['0', 'e9', 'é'],
    ['', '48', 'H'],
  ])('the preset jasmin decodes a message with coding %j and octets %s', (coding, binary, body) => {
    const form = { id: 'mo-1', from: '40722000001', to: '15005550006', coding, content: '?v?nement', binary };
    expect(receiveCall(openJasmin(), { kind: 'inbound', form, secret: PATH_SECRET }).inbound).toMatchObject([{ body }]);
  });

  it.each([
    ['DELIVERED', 'delivered'],
    ['UNDELIVERABLE', 'undelivered'],
    ['ABSENT_SUB', 'undelivered'],
    ['EXPIRD', 'expired'],
    ['REJECTED', 'rejected'],
    ['DND_REJECTED', 'rejected'],
    ['BLACKLISTED', 'rejected'],
  ])('the preset jasmin reads the nonstandard state %s of an SMSC', (message_status, status) => {
    const form = { id: JASMIN_ID, message_status, level: '3' };
    expect(receiveCall(openJasmin(), { kind: 'receipts', form, secret: PATH_SECRET }).receipts).toMatchObject([
      { status },
    ]);
  });

  it('the preset jasmin reads binary messages, and `content` without octets', () => {
    const form = { id: 'mo-1', from: '40722000001', to: '15005550006', coding: '4', content: '\u0001' };
    const read = (overrides: object) =>
      receiveCall(openJasmin(), { kind: 'inbound', form: { ...form, ...overrides }, secret: PATH_SECRET }).inbound;
    expect(read({ binary: '01ff' })).toMatchObject([{ body: 'Af8=', isBinary: true }]);
    expect(read({ coding: '0', content: 'Hi' })).toMatchObject([{ body: 'Hi' }]);
    expect(read({ coding: '0', content: 'Hi', binary: 'xyz' })).toMatchObject([{ body: 'Hi' }]);
  });
});
