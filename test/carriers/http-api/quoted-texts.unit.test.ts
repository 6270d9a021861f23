import { describe, expect, it } from 'vitest';
import { type Envelope, parseEnvelope, serializeEnvelope } from '../../../src/carriers/http-api/callbacks/envelope.js';
import { removeQuotedTexts } from '../../../src/carriers/http-api/callbacks/quoted-texts.js';
import { readReports } from '../../../src/carriers/http-api/callbacks/reports.js';
import type { Plan } from '../../../src/carriers/http-api/plan.js';
import { CALLBACK_SETTINGS, NOW, openHttpCarrier, PUBLIC_URL } from './setup.js';

const CODE = '482915';
const TEXT = `Your Acme code is ${CODE}.`;
const telnyx = openHttpCarrier({
  preset: 'telnyx',
  apiKey: 'K',
  publicKey: 'bbeChyP74yzyOy2BQ180uIghs/oWYspjUM3qpJkEji0=',
  publicUrl: PUBLIC_URL,
}).plan;
const genericPlan = openHttpCarrier({
  ...{ url: 'https://sms.example.com/send', idPath: 'id', ...CALLBACK_SETTINGS },
  ...{
    receiptId: 'id',
    receiptStatus: 'state',
    receiptMessage: 'text',
    receiptStates: { ok: 'delivered', bad: 'undelivered' },
  },
}).plan;

type StoredEnvelope = NonNullable<ReturnType<typeof parseEnvelope>>;
const jsonEnvelope = (kind: Envelope['kind'], body: object): Envelope => ({
  kind,
  query: {},
  text: JSON.stringify(body),
});
const formEnvelope = (body: Record<string, string>): Envelope => ({
  ...{ kind: 'receipts' as const, query: {}, isForm: true },
  text: new URLSearchParams(body).toString(),
});

function storeAndRead(plan: Plan, envelope: Envelope) {
  const bytes = serializeEnvelope(removeQuotedTexts(plan, envelope));
  const storedEnvelope = parseEnvelope(bytes);
  return {
    bytes: bytes.toString(),
    reports: storedEnvelope && readReports(plan, { ...storedEnvelope, carrier: 'v', receivedAt: NOW }),
  };
}

const finalized = {
  id: 't-1',
  to: [{ status: 'delivery_failed' }],
  errors: [{ code: '40001', title: 'No' }],
  text: TEXT,
};

describe('a receipt that quotes the message text', () => {
  it('a receipt that quotes the message text is stored without the text but otherwise complete', () => {
    const event = jsonEnvelope('events', { data: { event_type: 'message.finalized', payload: finalized } });
    const { bytes, reports } = storeAndRead(telnyx, event);
    expect(bytes).not.toContain(CODE);
    const completeReports = readReports(telnyx, {
      ...(parseEnvelope(serializeEnvelope(event)) as StoredEnvelope),
      carrier: 'v',
      receivedAt: NOW,
    });
    expect(reports).toEqual(completeReports);
    expect(reports?.receipts).toMatchObject([{ carrierMessageId: 't-1', errorCode: '40001', errorMessage: 'No' }]);
  });

  it('a receipt that quotes the message text is stored without the text even if it is a form or a query', () => {
    const plan = openHttpCarrier({
      ...{ url: 'https://sms.example.com/send', idPath: 'id', ...CALLBACK_SETTINGS },
      ...{ receiptId: 'id', receiptStatus: 'state', receiptStates: { ok: 'delivered' } },
    }).plan;
    const fields = { id: '1', state: 'ok', Message_Text: TEXT };
    for (const envelope of [formEnvelope(fields), { kind: 'receipts' as const, query: fields }]) {
      const { bytes, reports } = storeAndRead(plan, envelope);
      expect(bytes).not.toContain(CODE);
      expect(reports?.receipts).toMatchObject([{ carrierMessageId: '1', status: 'delivered' }]);
    }
  });

  it('a receipt that quotes the message text keeps the field that the error text is read from, whatever its name', () => {
    const { reports } = storeAndRead(
      genericPlan,
      jsonEnvelope('receipts', { id: '1', state: 'bad', text: 'Not reachable', body: TEXT }),
    );
    expect(reports?.receipts).toMatchObject([{ errorMessage: 'Not reachable' }]);
    expect(
      storeAndRead(genericPlan, jsonEnvelope('receipts', { id: '1', state: 'bad', text: 'x', body: TEXT })).bytes,
    ).not.toContain(CODE);
  });
});

describe('a call that is stored unchanged', () => {
  it('a call that is stored unchanged may be an inbound message with its text', () => {
    const payload = {
      id: 'i-1',
      from: { phone_number: '+4915100000001' },
      to: [{ phone_number: '+4915100000002' }],
      text: TEXT,
    };
    const { reports } = storeAndRead(
      telnyx,
      jsonEnvelope('events', { data: { event_type: 'message.received', payload } }),
    );
    expect(reports?.inbound).toMatchObject([{ body: TEXT }]);
  });

  it('a call that is stored unchanged may be a receipt without quoted text, or a call that cannot be read', () => {
    const plainEnvelope = jsonEnvelope('events', {
      data: { event_type: 'message.finalized', payload: { ...finalized, text: undefined } },
    });
    expect(removeQuotedTexts(telnyx, plainEnvelope)).toBe(plainEnvelope);
    const brokenEnvelope: Envelope = { kind: 'events', query: {}, text: '{"text":' };
    expect(removeQuotedTexts(telnyx, brokenEnvelope)).toBe(brokenEnvelope);
  });
});
