import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCallback } from '../../../src/carriers/whatsapp-cloud/callbacks/callback-body.js';
import type { CallbackReport } from '../../../src/carriers/whatsapp-cloud/callbacks/report.js';
import { hasValidSignature, signBody } from '../../../src/carriers/whatsapp-cloud/callbacks/signature.js';
import { toTemplateStatus } from '../../../src/carriers/whatsapp-cloud/templates.js';
import { newId } from '../../../src/platform/ids.js';
import { buildEnvelope, buildInbound, buildStatus, serialize } from '../../support/carriers/cloud-api/webhooks.js';

const NOW = new Date('2027-01-15T12:00:00Z');
const readBody = (body: unknown) => readCallback(body, 'meta', NOW);
const listUnused = ({ unmatched }: CallbackReport) => unmatched.map(({ part, reason }) => `${part.kind} ${reason}`);
const readInbound = (type: string, node: unknown, overrides?: Record<string, unknown>) =>
  readBody(buildEnvelope(buildInbound(type, node, overrides))).inbound[0]?.report;

describe('signatures', () => {
  const body = serialize(buildEnvelope({ statuses: [buildStatus('wamid.1', 'read')], note: 'ä 👋' }));
  const signature = signBody('secret', body);

  it('the signature of a Meta webhook is HMAC-SHA256 of the raw bytes', () => {
    // The key, text and digest are test case 2 of RFC 4231.
    expect(signBody('Jefe', Buffer.from('what do ya want for nothing?'))).toBe(
      'sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    );
    expect(hasValidSignature('secret', body, signature)).toBe(true);
    expect(hasValidSignature('secret', body, signature.toUpperCase().replace('SHA', 'sha'))).toBe(true);
  });

  it('the signature of a Meta webhook is rejected if one bit of the body or the signature differs', () => {
    for (let bit = 0; bit < body.length * 8; bit += 37) {
      const changedBody = Buffer.from(body);
      changedBody[bit >> 3] = (changedBody[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(hasValidSignature('secret', changedBody, signature)).toBe(false);
    }
    const digest = Buffer.from(signature.slice(7), 'hex');
    for (let bit = 0; bit < 256; bit += 1) {
      const changedDigest = Buffer.from(digest);
      changedDigest[bit >> 3] = (changedDigest[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(hasValidSignature('secret', body, `sha256=${changedDigest.toString('hex')}`)).toBe(false);
    }
  });

  it.each(['', 'sha256=', 'sha1=abc', signature.slice(0, -1), `${signature}0`, `x${signature}`])(
    'the signature of a Meta webhook is rejected in the form %j',
    (header) => {
      expect(hasValidSignature('secret', body, header)).toBe(false);
    },
  );
});

describe('statuses', () => {
  it('statuses in a Meta webhook become receipts, with our message ID if Meta returned it', () => {
    const id = newId();
    const statuses = [
      buildStatus('wamid.1', 'sent'),
      buildStatus('wamid.1', 'delivered', { timestamp: 1_750_030_073, callbackData: id }),
      buildStatus('wamid.2', 'read', { callbackData: 'another system put this here' }),
      buildStatus('wamid.3', 'failed', {
        error: { code: 131049, title: 'Not delivered', details: 'Healthy ecosystem.' },
      }),
      buildStatus('wamid.4', 'failed'),
      buildStatus('wamid.5', 'warning'),
    ];
    const report = readBody(buildEnvelope({ statuses }));
    const reportedStatuses = report.statuses;
    expect(reportedStatuses.map(({ part }) => part.phoneNumberId)).toEqual(Array(4).fill('106540352242922'));
    expect(reportedStatuses.map(({ receipt }) => receipt)).toMatchObject([
      {
        carrier: 'meta',
        carrierMessageId: 'wamid.1',
        messageId: id,
        status: 'delivered',
        occurredAt: new Date('2025-06-15T23:27:53Z'),
      },
      { carrierMessageId: 'wamid.2', status: 'read' },
      { carrierMessageId: 'wamid.3', status: 'failed', errorCode: '131049', errorMessage: 'Healthy ecosystem.' },
      { carrierMessageId: 'wamid.4', status: 'failed', errorCode: 'FAILED' },
    ]);
    expect(reportedStatuses[1]?.receipt).not.toHaveProperty('messageId');
    expect(listUnused(report)).toEqual(['status:warning unknown']);
  });
});

describe('inherited property names', () => {
  const ODD_VALUES = [
    'constructor',
    '__proto__',
    'toString',
    'hasOwnProperty',
    7,
    null,
    ['read'],
    { toString: 1, valueOf: 2 },
  ];

  it.each(ODD_VALUES)(
    'property names of Object.prototype as status %j are ignored, and the message in the same webhook is read',
    (status) => {
      const statuses = [{ ...buildStatus('wamid.1', 'read'), status }];
      const reports = readBody(
        JSON.parse(serialize(buildEnvelope({ ...buildInbound('text', { body: 'Hi' }), statuses })).toString()),
      );
      expect(reports.statuses).toEqual([]);
      expect(reports.inbound.map(({ report }) => report.body)).toEqual(['Hi']);
    },
  );

  it.each(ODD_VALUES)('property names of Object.prototype as template status %j disable the template', (status) => {
    expect(toTemplateStatus(status)).toBe('DISABLED');
  });

  it.each(ODD_VALUES)(
    'property names of Object.prototype as message type %j do not read inherited properties',
    (type) => {
      const envelope = buildInbound('text', { body: 'Hi' });
      const messages = [
        ...(envelope.messages as object[]),
        { ...(envelope.messages as object[])[0], id: 'wamid.odd', type },
      ];
      const inboundMessages = readBody(
        JSON.parse(serialize(buildEnvelope({ ...envelope, messages })).toString()),
      ).inbound;
      expect(inboundMessages[0]?.report.body).toBe('Hi');
      expect(inboundMessages[1]?.report ?? { body: '', payload: {} }).toMatchObject({ body: '', payload: {} });
      expect(inboundMessages).toHaveLength(typeof type === 'string' ? 2 : 1);
    },
  );
});

describe('inbound messages', () => {
  it.each([
    ['text', { body: 'Does it come in another color?' }, 'Does it come in another color?'],
    ['image', { id: '1', mime_type: 'image/jpeg', sha256: 'x', caption: 'This one?' }, 'This one?'],
    ['document', { id: '1', filename: 'a.pdf', caption: 'The bill' }, 'The bill'],
    ['video', { id: '1' }, ''],
    ['audio', { id: '1', voice: true }, ''],
    ['sticker', { id: '1', animated: false }, ''],
    ['button', { text: 'Stop', payload: 'STOP' }, 'Stop'],
    ['interactive', { type: 'button_reply', button_reply: { id: '1', title: 'Yes' } }, 'Yes'],
    ['interactive', { type: 'list_reply', list_reply: { id: '1', title: 'Large', description: 'L' } }, 'Large'],
    ['interactive', { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json: '{}' } }, 'Sent'],
    ['location', { latitude: 37.4847, longitude: -122.1486, name: 'Meta HQ' }, ''],
    ['reaction', { message_id: 'wamid.1', emoji: '👍' }, ''],
    ['order', { catalog_id: '1', text: 'Please hurry', product_items: [] }, 'Please hurry'],
    ['something_new', { whatever: 1 }, ''],
  ])('inbound messages in a Meta webhook are read with body and payload: %s', (type, node, body) => {
    expect(readInbound(type, node)).toMatchObject({
      from: '16505551234',
      profileName: 'Sheena Nelson',
      type,
      body,
      payload: node,
    });
  });

  it('inbound messages in a Meta webhook keep contact cards, and the errors of an unsupported message', () => {
    const card = [{ name: { formatted_name: 'Ada' }, phones: [{ phone: '+1 650' }] }];
    expect(readInbound('contacts', card)).toMatchObject({ type: 'contacts', payload: { contacts: card } });
    const errors = [{ code: 131051, title: 'Message type unknown' }];
    expect(readInbound('unsupported', { type: 'poll_update' }, { errors })).toMatchObject({
      type: 'unsupported',
      body: '',
      payload: { type: 'poll_update', errors },
    });
  });

  it('inbound messages in a Meta webhook keep their context and referral', () => {
    const context = { from: '15550783881', id: 'wamid.quoted' };
    const referral = { source_type: 'ad', source_id: '1202', headline: 'Sale' };
    expect(readInbound('text', { body: 'Hi' }, { context, referral })?.payload).toEqual({
      body: 'Hi',
      context,
      referral,
    });
  });

  it('inbound messages in a Meta webhook are read without `wa_id`, without contacts, or without the sender’s number', () => {
    const message = buildInbound('text', { body: 'Hi' });
    const noWaId = { ...message, contacts: [{ profile: { name: 'Ada' } }] };
    expect(readBody(buildEnvelope(noWaId)).inbound[0]?.report).toMatchObject({
      from: '16505551234',
      profileName: 'Ada',
    });
    const noContacts = readBody(buildEnvelope({ messages: message.messages })).inbound[0]?.report;
    expect(noContacts).toMatchObject({ from: '16505551234' });
    expect(noContacts).not.toHaveProperty('profileName');
    expect(readInbound('text', { body: 'Hi' }, { from: undefined })).toMatchObject({ from: '16505551234' });
    const unknownPerson = {
      ...buildInbound('text', { body: 'Hi' }, { from: undefined }),
      contacts: [{ profile: { name: 'Ada' } }],
    };
    expect(readBody(buildEnvelope(unknownPerson)).inbound).toEqual([]);
    expect(listUnused(readBody(buildEnvelope(unknownPerson)))).toEqual(['inbound:text incomplete']);
  });

  it('inbound messages in a Meta webhook do not include a notice of a changed number, which must not open the reply window', () => {
    const system = { body: 'User changed', wa_id: '12195555358', type: 'user_changed_number' };
    const previousIds = { phone: '16505551234', userId: null, parentUserId: null };
    const person = { ...previousIds, phone: '12195555358', before: previousIds, at: expect.any(Date) };
    expect(readBody(buildEnvelope(buildInbound('system', system)))).toMatchObject({
      inbound: [],
      people: [{ person }],
      unmatched: [],
    });
    const otherSystemMessage = readBody(
      buildEnvelope(buildInbound('system', { body: 'Something else', type: 'other' })),
    );
    expect(otherSystemMessage).toMatchObject({ inbound: [], people: [] });
    expect(listUnused(otherSystemMessage)).toEqual(['inbound:system unknown']);
  });
});

it('unused parts are labeled without any personal text', () => {
  const value = { event: 'APPROVED', message_template_name: 'a secret' };
  expect(listUnused(readBody(buildEnvelope(value, { field: 'group_settings_update' })))).toEqual([
    'field:group_settings_update unknown',
  ]);
  expect(listUnused(readBody(buildEnvelope(value, { field: 'Hello, this is a text!' })))).toEqual([
    'field:unknown unknown',
  ]);
});

describe('unused parts', () => {
  it('an unused part of a Meta webhook can be parsed again on its own with the same result', () => {
    const statuses = [buildStatus('wamid.1', 'read'), buildStatus('wamid.2', 'evaporated')];
    const { contacts, messages } = buildInbound('text', { body: 'Hi' }, { id: undefined });
    const otherContacts = Array.from({ length: 5 }, (_, index) => ({
      wa_id: `1650555${index}000`,
      profile: { name: 'X' },
    }));
    const value = { statuses, contacts: [...(contacts as object[]), ...otherContacts], messages, gifts: ['a bow'] };
    const report = readBody(buildEnvelope(value));
    expect(listUnused(report)).toEqual([
      'status:evaporated unknown',
      'inbound:text incomplete',
      'messages:gifts unknown',
    ]);
    for (const { part, reason } of report.unmatched) {
      const rereadReport = readBody(JSON.parse(JSON.stringify(part.body())));
      expect(listUnused(rereadReport)).toEqual([`${part.kind} ${reason}`]);
      expect(rereadReport).toMatchObject({ statuses: [], inbound: [] });
    }
    const unusedBody = JSON.stringify(report.unmatched[1]?.part.body());
    expect(unusedBody).toContain('Sheena Nelson');
    expect(unusedBody).not.toContain('16505550000');
    expect(JSON.stringify(report.unmatched[2]?.part.body())).toContain('a bow');
  });

  it('an unused part of a Meta webhook can also be built for a single message or status', () => {
    const value = { ...buildInbound('text', { body: 'Hi' }), statuses: [buildStatus('wamid.1', 'read')] };
    const { inbound: reported, statuses } = readBody(buildEnvelope(value));
    const message = readBody(JSON.parse(JSON.stringify(reported[0]?.part.body())));
    expect(message).toMatchObject({ inbound: [{ report: reported[0]?.report }], statuses: [], unmatched: [] });
    const status = readBody(JSON.parse(JSON.stringify(statuses[0]?.part.body())));
    expect(status).toMatchObject({ inbound: [], statuses: [{ receipt: statuses[0]?.receipt }], unmatched: [] });
  });

  it.each([
    ['{}', ['body:unknown unknown']],
    ['[]', ['body:unknown unknown']],
    ['null', ['body:unknown unknown']],
    ['{"entry":"no"}', ['body:unknown unknown']],
    ['{"entry":[7,{"id":"1"},{"changes":[]}]}', Array(3).fill('entry:unknown unknown')],
    ['{"entry":[{"changes":["no",{"field":"feed","value":7}]}]}', ['field:unknown incomplete', 'field:feed unknown']],
    ['{"entry":[{"changes":[{"field":"messages","value":{}}]}]}', ['field:messages incomplete']],
  ])('an unused part of a Meta webhook is reported for %s', (body, expected) => {
    expect(listUnused(readBody(JSON.parse(body)))).toEqual(expected);
  });

  it('an unused part of a Meta webhook is not reported for a status without effect', () => {
    expect(listUnused(readBody(buildEnvelope({ statuses: [buildStatus('wamid.1', 'sent')] })))).toEqual([]);
  });

  it('an unused part of a Meta webhook is reported for empty or malformed lists', () => {
    expect(listUnused(readBody(buildEnvelope({ messages: [] })))).toEqual(['field:messages incomplete']);
    expect(listUnused(readBody(buildEnvelope({ messages: ['no'], statuses: [null] })))).toEqual([
      'inbound:unknown incomplete',
      'status:unknown unknown',
    ]);
  });
});

it('a message of an unknown type keeps all its members', () => {
  const report = readInbound('gift', undefined, { gift_card: { amount: 7 }, note: 'For you' });
  expect(report).toMatchObject({ type: 'gift', body: '', payload: { gift_card: { amount: 7 }, note: 'For you' } });
  expect(report?.payload).not.toHaveProperty('from');
});

it('reading a Meta webhook never fails, whatever the body', () => {
  const parts = fc.oneof(
    fc.constantFrom('messages', 'wamid.1', '16505551234', 'text', 'read', '1751142888'),
    fc.jsonValue(),
  );
  const value = fc.record(
    {
      metadata: fc.oneof(fc.constant({ phone_number_id: '1' }), parts),
      statuses: fc.oneof(fc.array(fc.record({ id: parts, status: parts, errors: parts }, { requiredKeys: [] })), parts),
      messages: fc.oneof(fc.array(fc.record({ id: parts, from: parts, type: parts, text: parts })), parts),
      contacts: parts,
    },
    { requiredKeys: [] },
  );
  const body = fc.oneof(
    parts,
    fc.record({ entry: fc.array(fc.record({ changes: fc.array(fc.record({ field: parts, value })) })) }),
  );
  fc.assert(
    fc.property(body, (anyBody) => {
      const { inbound: messages, statuses } = readBody(anyBody);
      for (const { report } of messages) {
        expect(report.from).toMatch(/^\d+$/);
        expect(typeof report.body).toBe('string');
        expect(Number.isNaN(report.receivedAt.getTime())).toBe(false);
      }
      for (const { receipt } of statuses) expect(Number.isNaN(receipt.occurredAt.getTime())).toBe(false);
    }),
    { numRuns: 500 },
  );
});
