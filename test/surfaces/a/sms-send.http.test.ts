import { describe, expect, it } from 'vitest';
import { createTestAccount } from '../../support/accounts.js';
import { forSuite } from '../../support/for-suite.js';
import { sharedApp } from '../../support/suite.js';
import { testApp } from '../../support/test-app.js';
import {
  expectErrorV1,
  ISO_MILLISECONDS,
  NUMBER,
  readAccountState,
  SMS,
  sendSms,
  sendV2,
  UUID_V7,
} from './requests.js';

const heliograph = sharedApp();
const account = forSuite(() => createTestAccount(heliograph.deps));

const send = (body: unknown, headers = {}) => sendSms(heliograph.app, account, body, headers);
const findMessage = (id: string) => heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id } });

describe('POST /v1.0/sms/send, the request', () => {
  it('requires a sender ID in from', async () => {
    for (const from of ['A', 'Heliograph', '15005550100', 'Müller & Söhne', '☀'.repeat(18), '😀'.repeat(18)]) {
      const response = await send({ ...SMS, from });
      expect(response.statusCode).toBe(200);
      expect((await findMessage(response.json().message_id)).sender).toBe(from);
    }
    expectErrorV1(await send({ to: SMS.to, message: SMS.message }), 400, 'from is required');
    for (const from of [
      '',
      'x'.repeat(19),
      '😀'.repeat(19),
      ' ',
      'a\nb',
      'a\tb',
      'a\u0085b',
      'a\u202eb',
      1,
      null,
      {},
    ]) {
      expectErrorV1(await send({ ...SMS, from }), 400, 'from must be 1 to 18 printable characters');
    }
  });

  it('accepts one number in to, or several separated by commas', async () => {
    const singleResponse = await send({ ...SMS, to: '+15005550111' });
    expect(singleResponse.json().to).toBe('+15005550111');
    expect(await findMessage(singleResponse.json().message_id)).toMatchObject({
      recipient: '15005550111',
      recipientPlus: true,
    });

    const severalResponse = await send({ ...SMS, to: ' 15005550111 ,+15005550112,  15005550111' });
    expect(severalResponse.json().data.map(({ to }: { to: string }) => to)).toEqual([
      '15005550111',
      '+15005550112',
      '15005550111',
    ]);
    expectErrorV1(await send({ from: SMS.from, message: SMS.message }), 400, 'to is required');
    for (const to of [15005550111, [NUMBER], null]) {
      expectErrorV1(await send({ ...SMS, to }), 400, expect.stringMatching(/^to must be one phone number or several/));
    }
  });

  it('requires a text in message', async () => {
    const text = 'Grüße €😀\r\n"quoted" \\ & <b>';
    const response = await send({ ...SMS, message: text });
    expect(response.json().message).toBe(text);
    expect((await findMessage(response.json().message_id)).body).toBe(text);
    expectErrorV1(await send({ from: SMS.from, to: SMS.to }), 400, 'message is required');
    const rule = 'message must be a text of 1 to 1600 characters, with at least one visible character';
    for (const message of [
      '',
      '   ',
      '\t\r\n\u00a0\u2003',
      '\u200b',
      ' \u2060\ufeff\u00ad',
      '\u200d\ufe0f\u202e\u3164\u2800',
      1,
      null,
      ['a'],
      true,
    ]) {
      expectErrorV1(await send({ ...SMS, message }), 400, rule);
    }
  });

  it('ignores unknown fields and stores none of them', async () => {
    const response = await send({ ...SMS, channel: 'whatsapp', status: 'delivered', price: 0, account_id: 'x' });
    expect(response.statusCode).toBe(200);
    const storedMessage = await findMessage(response.json().message_id);
    expect(storedMessage).toMatchObject({ accountId: account.id, priority: 0, priceMicros: 10_000n, content: null });
  });
});

describe('POST /v1.0/sms/send, the response for a single destination', () => {
  it('has the fields of the message at the top level and in data', async () => {
    const response = await send(SMS);
    expect(response.statusCode).toBe(200);
    const { data, ...top } = response.json();
    expect(top).toEqual({
      status: 'success',
      message_id: expect.stringMatching(UUID_V7),
      ...SMS,
      timestamp: expect.stringMatching(ISO_MILLISECONDS),
    });
    const { status: _, ...entry } = top;
    expect(data).toEqual([{ ...entry, message_count: 1 }]);
  });

  it('has the time of acceptance as timestamp', async () => {
    const startedAt = Date.now();
    const { message_id, timestamp } = (await send(SMS)).json();
    expect(Date.parse(timestamp)).toBeGreaterThanOrEqual(startedAt);
    expect(Date.parse(timestamp)).toBeLessThanOrEqual(Date.now());
    expect((await findMessage(message_id)).createdAt.toISOString()).toBe(timestamp);
  });
});

describe('POST /v1.0/sms/send, the response for several destinations', () => {
  it('has status and one entry in data per destination', async () => {
    const response = await send({ ...SMS, to: '15005550111,15005550112,447700900000' });
    expect(Object.keys(response.json()).sort()).toEqual(['data', 'status']);
    expect(response.json().status).toBe('success');
    expect(response.json().data.map(({ to }: { to: string }) => to)).toEqual([
      '15005550111',
      '15005550112',
      '447700900000',
    ]);
  });

  it('has entries with message_id, message_count, from, to, message and timestamp', async () => {
    const { data } = (await send({ ...SMS, to: '15005550111,15005550112' })).json();
    for (const [index, entry] of data.entries()) {
      expect(entry).toEqual({
        message_id: expect.stringMatching(UUID_V7),
        message_count: 1,
        from: SMS.from,
        to: ['15005550111', '15005550112'][index],
        message: SMS.message,
        timestamp: expect.stringMatching(ISO_MILLISECONDS),
      });
    }
  });

  it('has a distinct message_id per destination, even for the same number twice', async () => {
    const { data } = (await send({ ...SMS, to: Array(50).fill(NUMBER).join(',') })).json();
    expect(new Set(data.map(({ message_id }: { message_id: string }) => message_id)).size).toBe(50);
  });

  it.each([
    ['160 GSM characters', 'a'.repeat(160), 1],
    ['161 GSM characters', 'a'.repeat(161), 2],
    ['80 euro signs, which count as 2 characters each', '€'.repeat(80), 1],
    ['81 euro signs', '€'.repeat(81), 2],
    ['70 Unicode characters', 'я'.repeat(70), 1],
    ['71 Unicode characters', 'я'.repeat(71), 2],
  ])('has the number of segments in message_count: %s', async (_, message, parts) => {
    const { data } = (await send({ ...SMS, message })).json();
    expect(data[0].message_count).toBe(parts);
  });
});

describe('limits of POST /v1.0/sms/send', () => {
  it('allow 1600 characters, counted as Unicode code points', async () => {
    expect((await send({ ...SMS, message: 'x'.repeat(1600) })).statusCode).toBe(200);
    expect((await send({ ...SMS, message: '😀'.repeat(1600) })).statusCode).toBe(200);
    expectErrorV1(await send({ ...SMS, message: 'x'.repeat(1601) }), 400);
    expectErrorV1(await send({ ...SMS, message: '😀'.repeat(1601) }), 400);
  });

  it('allow 10,000 recipients and keep their order', async () => {
    const richAccount = await createTestAccount(heliograph.deps, { creditMicros: 1_000_000_000n });
    const numbers = Array.from({ length: 10_000 }, (_, index) => String(15005560000 + index));
    const response = await sendSms(heliograph.app, richAccount, { ...SMS, to: numbers.join(',') });
    expect(response.statusCode).toBe(200);
    const { data } = response.json();
    expect(data.map(({ to }: { to: string }) => to)).toEqual(numbers);
    expect(new Set(data.map(({ message_id }: { message_id: string }) => message_id)).size).toBe(10_000);

    const stateBefore = await readAccountState(heliograph, richAccount);
    const tooManyResponse = await sendSms(heliograph.app, richAccount, { ...SMS, to: [...numbers, NUMBER].join(',') });
    expectErrorV1(tooManyResponse, 400, 'to must not have more than 10000 numbers');
    expect(await readAccountState(heliograph, richAccount)).toEqual(stateBefore);
  });
});

describe('invalid numbers of POST /v1.0/sms/send', () => {
  it.each([
    ['letters', '15005550abc', '15005550abc'],
    ['an empty string', '', ''],
    ['a trailing comma', `${NUMBER},`, ''],
    ['two commas in a row', `${NUMBER},,${NUMBER}`, ''],
    ['two plus signs', '++15005550111', '++15005550111'],
    ['a plus sign between digits', '1500+5550111', '1500+5550111'],
    ['spaces between digits', '1500 555 0111', '1500 555 0111'],
    ['6 digits', '150055', '150055'],
    ['16 digits', '1500555011112345', '1500555011112345'],
    ['a leading zero', '015005550111', '015005550111'],
    ['an unassigned calling code', '21012345678', '21012345678'],
    ['digits of another script', '١٥٠٠٥٥٥٠١١١', '١٥٠٠٥٥٥٠١١١'],
  ])('cause a 400 that names the number, and nothing is queued or charged: %s', async (_, to, message) => {
    const stateBefore = await readAccountState(heliograph, account);
    const response = await send({ ...SMS, to });
    expectErrorV1(response, 400, expect.stringContaining('invalid phone number'));
    expect(response.json().message).toContain(JSON.stringify(message));
    expect(await readAccountState(heliograph, account)).toEqual(stateBefore);
  });

  it('are listed up to the fifth, followed by a count of the others', async () => {
    const response = await send({ ...SMS, to: ['a', 'b', 'c', 'd', 'e', 'f', 'g', NUMBER].join(',') });
    expectErrorV1(
      response,
      400,
      expect.stringContaining(
        '"a" at position 1, "b" at position 2, "c" at position 3, "d" at position 4, "e" at position 5 and 2 more',
      ),
    );
  });

  it('are truncated if they are long', async () => {
    const response = await send({ ...SMS, to: 'x'.repeat(100_000) });
    expect(response.json().message.length).toBeLessThan(200);
  });
});

describe('settings of SMS sends', () => {
  it('SMS_MAX_CHARS=0 removes the limit', async () => {
    const unlimitedApp = await testApp({ settings: { SMS_MAX_CHARS: '0' } });
    try {
      const { deps, app } = unlimitedApp;
      const response = await sendSms(app, await createTestAccount(deps), { ...SMS, message: 'x'.repeat(1601) });
      expect(response.json().data[0].message_count).toBe(11);
    } finally {
      await unlimitedApp.close();
    }
  });

  it('PHONE_VALIDATION=possible refuses a number too short for its country', async () => {
    const strictApp = await testApp({ settings: { PHONE_VALIDATION: 'possible' } });
    try {
      const otherAccount = await createTestAccount(strictApp.deps);
      const length = 'a length that is possible for its country calling code';
      const rule = '7 to 15 digits and begins with an assigned country calling code';
      for (const [to, expected] of [
        ['1500555', `to has an invalid phone number: "1500555" (a number has ${length})`],
        ['+1500555', `to has an invalid phone number: "+1500555" (a number has ${length})`],
        ['15', `to has an invalid phone number: "15" (a number has ${rule})`],
        [`${NUMBER},15`, `to has an invalid phone number: "15" at position 2 (a number has ${rule})`],
        [
          '15,1500555',
          `to has invalid phone numbers: "15" at position 1, "1500555" at position 2 (a number has ${rule}, and ${length})`,
        ],
      ] as const) {
        expectErrorV1(await sendSms(strictApp.app, otherAccount, { ...SMS, to }), 400, expected);
      }
      const v2Response = await sendV2(strictApp.app, otherAccount, { ...SMS, to: [NUMBER, '1500555', '15'] });
      expect(v2Response.json().data.errors).toEqual([
        {
          field: 'to[1]',
          message: 'must be a phone number of a length that is possible for its country calling code (it is "1500555")',
        },
        { field: 'to[2]', message: expect.stringContaining('of 7 to 15 digits') },
      ]);
      expect((await sendSms(strictApp.app, otherAccount, SMS)).statusCode).toBe(200);
      expect((await send({ ...SMS, to: '1500555' })).statusCode).toBe(200);
    } finally {
      await strictApp.close();
    }
  });
});
