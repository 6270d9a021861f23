import { describe, expect, it } from 'vitest';
import { buildStoredPlan } from '../../../../src/carriers/http-api/build-plan.js';
import { readReports } from '../../../../src/carriers/http-api/callbacks/reports.js';
import type { ReportKind } from '../../../../src/carriers/http-api/plan.js';
import { NOW, PATH_SECRET, PUBLIC_URL } from '../setup.js';

const readPresetReports = (preset: string, body: object, kind: ReportKind = 'inbound', query: object = {}) => {
  const settings = { preset, baseUrl: 'https://api.example', publicUrl: PUBLIC_URL, callbackSecret: PATH_SECRET };
  const plan = buildStoredPlan({
    ...settings,
    authToken: 'a',
    accountSid: 'AC',
    publicKey: 'k',
    signingKey: 's',
    apiKey: 'k',
  });
  return readReports(plan, { carrier: 'v', kind, query: { ...query }, body, receivedAt: NOW });
};
const IMAGE = 'https://files.example/1.jpg';
const MOVIE = 'https://files.example/2.mp4';

describe('an MMS', () => {
  const files = [
    { url: IMAGE, mimeType: 'image/jpeg' },
    { url: MOVIE, mimeType: 'video/mp4' },
  ];

  it.each<[string, object, ReportKind]>([
    [
      'twilio',
      {
        ...{ MessageSid: 'm1', From: '+15005550010', To: '+15005550006', Body: 'Look', NumMedia: '2' },
        ...{ MediaUrl0: IMAGE, MediaContentType0: 'image/jpeg', MediaUrl1: MOVIE, MediaContentType1: 'video/mp4' },
      },
      'inbound',
    ],
    [
      'telnyx',
      {
        data: {
          event_type: 'message.received',
          payload: {
            ...{
              id: 'm1',
              type: 'MMS',
              from: { phone_number: '+15005550010' },
              to: [{ phone_number: '+15005550006' }],
            },
            text: 'Look',
            media: [
              { url: IMAGE, content_type: 'image/jpeg', size: 1 },
              { url: MOVIE, content_type: 'video/mp4' },
            ],
          },
        },
      },
      'events',
    ],
    [
      'infobip',
      {
        results: [
          {
            ...{ messageId: 'm1', from: '15005550010', to: '15005550006', receivedAt: '2026-11-24T11:00:00.000+0000' },
            message: [
              { contentType: 'application/smil', url: 'https://files.example/smil' },
              { contentType: 'text/plain', value: 'Look' },
              { contentType: 'image/jpeg', url: IMAGE },
              { contentType: 'video/mp4', url: MOVIE },
            ],
          },
        ],
      },
      'inbound',
    ],
    [
      'sinch',
      {
        ...{ type: 'mo_media', id: 'm1', from: '15005550010', to: '15005550006' },
        body: {
          subject: '',
          message: 'Look',
          media: [
            { url: IMAGE, content_type: 'image/jpeg', status: 'Uploaded', code: 0 },
            { url: MOVIE, content_type: 'video/mp4', status: 'Uploaded', code: 0 },
          ],
        },
      },
      'inbound',
    ],
    [
      'messagebird',
      {
        ...{ mid: 'm1', originator: '15005550010', recipient: '15005550006', body: 'Look' },
        ...{ mediaURLs: [IMAGE, MOVIE], mediaContentTypes: ['image/jpeg', 'video/mp4'] },
      },
      'inbound',
    ],
  ])('an MMS of %s is read with its text and files', (preset, body, kind) => {
    expect(readPresetReports(preset, body, kind)).toMatchObject({
      inbound: [{ carrierMessageId: 'm1', from: '15005550010', to: '15005550006', body: 'Look', files }],
      unmatched: [],
    });
  });

  it('an MMS of Plivo has files without types', () => {
    const form = {
      MessageUUID: 'm1',
      From: '15005550010',
      To: '15005550006',
      Text: '',
      MediaCount: '1',
      Media0: IMAGE,
    };
    expect(readPresetReports('plivo', form).inbound).toMatchObject([
      { body: '', files: [{ url: IMAGE, mimeType: null }] },
    ]);
  });

  it('an MMS of Vonage is recognized by its message type', () => {
    const body = {
      ...{ channel: 'mms', message_uuid: 'm1', from: '15005550010', to: '15005550006', message_type: 'image' },
      image: { url: IMAGE, name: '1.jpg', caption: 'Look' },
    };
    expect(readPresetReports('vonage-messages', body).inbound).toMatchObject([
      { body: 'Look', files: [{ url: IMAGE, mimeType: 'image/*', filename: '1.jpg' }] },
    ]);
  });

  it('an MMS without text keeps its file; invalid files are dropped', () => {
    const form = {
      MessageSid: 'm1',
      From: '+15005550010',
      To: '+15005550006',
      NumMedia: '1',
      Body: '',
      MediaUrl0: IMAGE,
    };
    expect(readPresetReports('twilio', form).inbound).toMatchObject([
      { body: '', files: [{ url: IMAGE, mimeType: null }] },
    ]);
    expect(readPresetReports('twilio', { ...form, NumMedia: '0' }).inbound[0]).not.toHaveProperty('files');
    expect(readPresetReports('twilio', { ...form, MediaUrl0: 'file:///etc/passwd' }).inbound[0]).not.toHaveProperty(
      'files',
    );
    expect(readPresetReports('twilio', { ...form, NumMedia: '1e9' }).inbound[0]?.files).toHaveLength(1);
  });

  it('an MMS of Infobip may have its text in an object', () => {
    const item = { messageId: 'm1', from: '1', to: '2', message: { type: 'TEXT', text: 'Hi' } };
    expect(readPresetReports('infobip', { results: [item] }).inbound).toMatchObject([{ body: 'Hi' }]);
  });
});

describe('an inbound message', () => {
  it('an inbound message of MessageBird is read from repeated fields, and from those of short codes', () => {
    const fields = { originator: '40722000001', recipient: '15005550006', body: 'STOP', id: 'b1' };
    const repeatedFields = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, [value, value]]));
    const expected = [{ carrierMessageId: 'b1', from: '40722000001', to: '15005550006', body: 'STOP' }];
    expect(readPresetReports('messagebird', repeatedFields).inbound).toMatchObject(expected);
    expect(readPresetReports('messagebird', {}, 'inbound', repeatedFields).inbound).toMatchObject(expected);
    const shortCode = { originator: '40722000001', shortcode: '15005550006', message: 'STOP', mid: 'b1' };
    expect(readPresetReports('messagebird', shortCode).inbound).toMatchObject(expected);
    expect(readPresetReports('messagebird', {}, 'inbound', shortCode).inbound).toMatchObject(expected);
  });

  it('an inbound message of Vonage may be binary', () => {
    const body = { type: 'binary', msisdn: '40722000001', to: '15005550006', messageId: 'v1', data: '01ff', udh: '06' };
    expect(readPresetReports('vonage', body).inbound).toMatchObject([{ body: 'Af8=', isBinary: true }]);
  });

  it('an inbound message of SMSGate gets one ID for two events about it, and a new ID at another time', () => {
    const createEvent = (id: string, payload: object = {}) => ({
      event: 'sms:received',
      id,
      payload: {
        ...{ messageId: '83be51e4', message: 'Once more', phoneNumber: '+40722000001', recipient: '+15005550006' },
        ...{ simNumber: 1, receivedAt: '2026-01-19T21:11:52+01:00', ...payload },
      },
    });
    const readId = (body: object) => readPresetReports('smsgate', body).inbound[0]?.carrierMessageId;
    expect(readId(createEvent('xs-fiN26'))).toBe(readId(createEvent('az75fdnE')));
    const otherMessages = [
      { receivedAt: '2026-01-19T21:12:52+01:00' },
      { phoneNumber: '+40722000002' },
      { sender: '+40722000002' },
      { simNumber: 2 },
    ];
    expect(
      new Set([readId(createEvent('e')), ...otherMessages.map((payload) => readId(createEvent('e', payload)))]).size,
    ).toBe(5);
    expect(readId(createEvent('only-this', { receivedAt: undefined }))).toBe('only-this');
    const data = { ...createEvent('e'), event: 'sms:data-received' };
    expect(readPresetReports('smsgate', { ...data, payload: { ...data.payload, data: 'Af8=' } }).inbound).toMatchObject(
      [{ body: 'Af8=', isBinary: true }],
    );
    const mms = {
      event: 'mms:received',
      id: 'e',
      payload: { sender: '+40722000001', recipient: '+1500', subject: 'Photo' },
    };
    expect(readPresetReports('smsgate', mms).inbound).toMatchObject([{ body: 'Photo' }]);
  });
});

describe('a receipt', () => {
  it.each(['TEXT_SUCCESSFUL', 'TEXT_DELIVERED', 'TEXT_UNREACHABLE', 'TEXT_BLOCKED', 'TEXT_TTL_EXPIRED'])(
    'a receipt of AWS with %s ends the message only if it is final',
    (eventType) => {
      const readReceipts = (isFinal: unknown) =>
        readPresetReports('aws', { eventType, messageId: 'a1', eventTimestamp: NOW.getTime(), isFinal }, 'events');
      for (const interim of [false, 'false'])
        expect(readReceipts(interim)).toMatchObject({ receipts: [], unmatched: [] });
      for (const final of [true, undefined]) expect(readReceipts(final).receipts).toHaveLength(1);
    },
  );

  it.each([
    ['1 of 1', undefined],
    ['1 of 2', { key: 'u-2', total: 2 }],
    ['2 of 2', { key: 'u-2', total: 2 }],
    [undefined, undefined],
  ])('a receipt of Plivo for %j is about that part', (PartInfo, part) => {
    const form = { MessageUUID: 'u-2', ParentMessageUUID: 'u-1', Status: 'delivered', PartInfo };
    const [receipt] = readPresetReports('plivo', form, 'receipts').receipts;
    expect(receipt).toMatchObject({ carrierMessageId: 'u-1', status: 'delivered' });
    expect(receipt?.part).toEqual(part);
  });

  it('a receipt of SMSGate is about one part if delivered, and about the message if failed', () => {
    const createEvent = (name: string, payload: object = {}) => ({
      event: name,
      id: `event-${name}`,
      payload: { messageId: '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55', phoneNumber: '+15005550010', ...payload },
    });
    const readPart = (body: object) => readPresetReports('smsgate', body, 'receipts').receipts[0]?.part;
    expect(readPart(createEvent('sms:delivered'))).toEqual({ key: 'event-sms:delivered', total: null });
    expect(readPart(createEvent('sms:delivered', { partsCount: 3 }))).toEqual({ key: 'event-sms:delivered', total: 3 });
    const failedReceipts = readPresetReports('smsgate', createEvent('sms:failed'), 'receipts').receipts;
    expect(failedReceipts).toMatchObject([{ status: 'failed' }]);
    expect(failedReceipts[0]).not.toHaveProperty('part');
  });
});

/** Some vendors have only one setting for the callback URL, and some operators enter the same URL in two settings. */
describe('a report at the endpoint for the other kind', () => {
  const [number, ours] = ['40722000001', '15005550006'];
  it.each<[string, object, object]>([
    [
      'twilio',
      { MessageSid: 'r', MessageStatus: 'delivered', From: ours, To: number },
      { MessageSid: 'i', From: number, To: ours, Body: 'Hi' },
    ],
    [
      'vonage',
      { messageId: 'r', status: 'delivered', msisdn: number, to: 'ACME' },
      { messageId: 'i', msisdn: number, to: ours, text: 'Hi', type: 'text' },
    ],
    [
      'vonage-messages',
      { message_uuid: 'r', status: 'delivered', channel: 'sms', from: ours, to: number },
      { message_uuid: 'i', channel: 'sms', from: number, to: ours, text: 'Hi' },
    ],
    [
      'sinch',
      { type: 'recipient_delivery_report_sms', batch_id: 'r', status: 'Delivered' },
      { type: 'mo_text', id: 'i', from: number, to: ours, body: 'Hi' },
    ],
    [
      'clickatell',
      { messageId: 'r', statusCode: 4 },
      { messageId: 'i', fromNumber: number, toNumber: ours, text: 'Hi' },
    ],
    [
      'africastalking',
      { id: 'r', status: 'Success', phoneNumber: number },
      { id: 'i', from: number, to: ours, text: 'Hi' },
    ],
    [
      'infobip',
      { results: [{ messageId: 'r', status: { groupName: 'DELIVERED' }, to: number }] },
      { results: [{ messageId: 'i', from: number, to: ours, text: 'Hi' }] },
    ],
    ['jasmin', { id: 'r', message_status: 'DELIVRD', level: '3' }, { id: 'i', from: number, to: ours, content: 'Hi' }],
    [
      'messagebird',
      { id: 'r', status: 'delivered', recipient: number },
      { id: 'i', originator: number, recipient: ours, body: 'Hi' },
    ],
  ])('a report of %s at the endpoint for the other kind is recognized', (preset, receipt, message) => {
    for (const kind of ['receipts', 'inbound'] as const) {
      const query = preset === 'messagebird' ? receipt : {};
      expect(readPresetReports(preset, receipt, kind, query), kind).toMatchObject({
        receipts: [{ carrierMessageId: 'r', status: 'delivered' }],
        ...{ inbound: [], unmatched: [] },
      });
      expect(readPresetReports(preset, message, kind), kind).toMatchObject({
        inbound: [{ carrierMessageId: 'i', from: number, to: ours, body: 'Hi' }],
        ...{ receipts: [], unmatched: [] },
      });
    }
  });

  it('a report of Sinch at the endpoint for the other kind may be a summary', () => {
    const report = {
      type: 'delivery_report_sms',
      batch_id: 'r',
      statuses: [{ code: 402, status: 'Failed', count: 1 }],
    };
    expect(readPresetReports('sinch', report, 'receipts').receipts).toMatchObject([
      { status: 'undelivered', errorCode: '402' },
    ]);
  });
});
