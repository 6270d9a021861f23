import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SmppSettings } from '../../../src/carriers/smpp/settings.js';
import type { SmppCarrier } from '../../../src/carriers/smpp/smpp-carrier.js';
import { encodeParts, segment } from '../../../src/carriers/sms/segments.js';
import { withResolvers } from '../../../src/platform/with-resolvers.js';
import { ManualClock } from '../../support/manual-clock.js';
import { waitFor } from '../../support/wait-for.js';
import { createSmppSettings, createSms, neverAborted, openSmppCarrier, RecordingSinks } from './setup.js';
import { buildReceipt, Smsc } from './smsc.js';

const NOW = new Date('2027-01-15T12:00:00Z');
let smsc: Smsc;
let carrier: SmppCarrier;
let sinks: RecordingSinks;
let clock: ManualClock;
let logLines: string[];
const log = pino({ level: 'warn' }, { write: (line: string) => void logLines.push(line) });

async function connect(settings: Partial<SmppSettings> = {}) {
  carrier = openSmppCarrier(createSmppSettings(smsc.port, settings), { clock, log });
  await carrier.start(sinks);
  // The SMSC considers a carrier bound before the carrier itself does. A carrier bound as a receiver never reports itself as
  // up, because it cannot send.
  await waitFor('the bind', () => smsc.bound.length > 0 && (settings.bindType === 'receiver' || carrier.state().up));
}

beforeEach(async () => {
  clock = new ManualClock(NOW);
  logLines = [];
  sinks = new RecordingSinks();
  smsc = await Smsc.start();
});

afterEach(async () => {
  await carrier.close(AbortSignal.timeout(1_000));
  await smsc.kill();
});

function buildInbound(text: string, fields: object = {}): object {
  return {
    source_addr_ton: 1,
    source_addr_npi: 1,
    source_addr: '40722000001',
    dest_addr_ton: 1,
    dest_addr_npi: 1,
    destination_addr: '40311000000',
    data_coding: 0,
    short_message: Buffer.from(text, 'latin1'),
    ...fields,
  };
}

describe('receipts', () => {
  it('an SMPP receipt is stored under the ID of its message, then answered', async () => {
    await connect();
    smsc.treat = () => ({ id: 'F00D' });
    const { carrierMessageId } = await carrier.submit(createSms('Hello'), neverAborted);
    const response = await smsc.deliver(buildReceipt('DELIVRD', { id: 'F00D' }));
    expect(response).toMatchObject({ command: 'deliver_sm_resp', command_status: 0 });
    expect(sinks.storedReceipts).toEqual([{ carrier: 'smsc', carrierMessageId, status: 'delivered', occurredAt: NOW }]);
  });

  it('an SMPP receipt can overtake the response to its submit', async () => {
    await connect();
    smsc.treat = () => ({ answer: 'receipt-first', receipts: [buildReceipt()] });
    const { carrierMessageId } = await carrier.submit(createSms('Hello'), neverAborted);
    expect(sinks.storedReceipts).toMatchObject([{ carrierMessageId, status: 'delivered' }]);
  });

  it('an SMPP receipt reports why the message was not delivered', async () => {
    await connect();
    await smsc.deliver(buildReceipt('UNDELIV', { id: '1', err: '027' }));
    await smsc.deliver(buildReceipt('EXPIRED', { id: '2' }));
    expect(sinks.storedReceipts).toMatchObject([
      { status: 'undelivered', errorCode: '027', errorMessage: 'The SMSC reports UNDELIV, error 027.' },
      { status: 'expired', errorCode: 'EXPIRED', errorMessage: 'The SMSC reports EXPIRED.' },
    ]);
  });

  it('an SMPP receipt matches a message whose ID is hexadecimal in the response and decimal in the receipt', async () => {
    await connect({ responseIdFormat: 'hex', receiptIdFormat: 'decimal' });
    smsc.treat = () => ({ id: '1A2B3C' });
    const { carrierMessageId } = await carrier.submit(createSms('Hello'), neverAborted);
    await smsc.deliver(buildReceipt('DELIVRD', { id: '0001715004' }));
    expect(sinks.storedReceipts).toMatchObject([{ carrierMessageId }]);
  });

  it('an SMPP receipt matches its message by a TLV that repeats the hexadecimal ID', async () => {
    await connect({ responseIdFormat: 'hex', receiptIdFormat: 'decimal' });
    smsc.treat = () => ({ id: '1A2B3C' });
    const { carrierMessageId } = await carrier.submit(createSms('Hello'), neverAborted);
    await smsc.deliver({ ...buildReceipt('DELIVRD', { id: '0001715004' }), receipted_message_id: '1A2B3C' });
    await smsc.deliver({ esm_class: 4, receipted_message_id: '1A2B3C', message_state: 2 });
    expect(sinks.storedReceipts).toMatchObject([{ carrierMessageId }, { carrierMessageId }]);
  });

  it('an SMPP receipt is understood in UCS-2', async () => {
    await connect();
    const { short_message, ...fields } = buildReceipt('DELIVRD', { id: 'F00D' }) as { short_message: Buffer };
    const ucs2 = Buffer.from(short_message.toString('latin1'), 'utf16le').swap16();
    await smsc.deliver({ ...fields, data_coding: 8, short_message: ucs2 });
    expect(sinks.storedReceipts).toMatchObject([{ carrierMessageId: 'F00D', status: 'delivered' }]);
  });

  it('an SMPP receipt with an unknown state is logged with its IDs but without its text', async () => {
    await connect();
    const { short_message, ...fields } = buildReceipt('MISLAID', { id: 'F00D' }) as { short_message: Buffer };
    await smsc.deliver({ ...fields, short_message: Buffer.concat([short_message, Buffer.from(' text:Secret')]) });
    expect(sinks.storedReceipts).toEqual([]);
    expect(logLines.map((line) => JSON.parse(line))).toMatchObject([{ state: 'MISLAID', textId: 'F00D', tlvId: null }]);
    expect(logLines.join()).not.toContain('Secret');
  });

  it('an SMPP receipt uses its done date if the time zone is set, but never a future time', async () => {
    await connect({ receiptTimeZone: 'Europe/Bucharest' });
    clock.set('2027-01-15T10:30:00Z');
    await smsc.deliver(buildReceipt());
    expect(sinks.storedReceipts[0]?.occurredAt).toEqual(new Date('2027-01-15T10:01:00Z'));
    clock.set('2027-01-15T09:59:00Z');
    await smsc.deliver(buildReceipt());
    expect(sinks.storedReceipts[1]?.occurredAt).toEqual(new Date('2027-01-15T09:59:00Z'));
  });

  it('an SMPP receipt is understood as a data_sm, and with TLVs only', async () => {
    await connect();
    const tlvs = { receipted_message_id: 'F00D', message_state: 2 };
    const response = await smsc.request('data_sm', { source_addr: '40722000001', esm_class: 4, ...tlvs });
    expect(response).toMatchObject({ command: 'data_sm_resp', command_status: 0 });
    await smsc.deliver({ source_addr: '40722000001', esm_class: 0, short_message: Buffer.alloc(0), ...tlvs });
    expect(sinks.storedReceipts).toMatchObject([
      { carrierMessageId: 'F00D', status: 'delivered' },
      { carrierMessageId: 'F00D', status: 'delivered' },
    ]);
  });

  it('an SMPP receipt that is intermediate or incomplete is answered and ignored', async () => {
    await connect();
    for (const fields of [
      buildReceipt('ENROUTE', { esmClass: 0x20 }),
      buildReceipt('ACCEPTD'),
      buildReceipt('DELIVRD', { id: '' }),
    ]) {
      expect(await smsc.deliver(fields)).toMatchObject({ command_status: 0 });
    }
    expect(sinks.storedReceipts).toEqual([]);
  });

  it('an SMPP receipt is answered only once it is stored, in one batch with the others', async () => {
    await connect();
    const { promise, resolve: openGate } = withResolvers();
    sinks.gate = promise;
    let answeredCount = 0;
    const responses = Array.from({ length: 50 }, async (_, index) => {
      await smsc.deliver(buildReceipt('DELIVRD', { id: String(index) }));
      answeredCount += 1;
    });
    // The carrier answers enquire_link only after it has read all receipts.
    await smsc.request('enquire_link', {});
    expect(answeredCount).toBe(0);
    openGate();
    await Promise.all(responses);
    expect(sinks.storedReceipts).toHaveLength(50);
  });

  it('an SMPP receipt is refused temporarily if it cannot be stored', async () => {
    await connect();
    sinks.fail = new Error('the database is unavailable');
    expect(await smsc.deliver(buildReceipt())).toMatchObject({ command_status: 0x64 });
    sinks.fail = null;
    expect(await smsc.deliver(buildReceipt())).toMatchObject({ command_status: 0 });
    expect(sinks.storedReceipts).toHaveLength(1);
  });

  it('an SMPP receipt is stored after a short failure of the database', async () => {
    await connect();
    sinks.fail = new Error('the database is unavailable');
    const response = smsc.deliver(buildReceipt());
    await smsc.request('enquire_link', {});
    sinks.fail = null;
    expect(await response).toMatchObject({ command_status: 0 });
    expect(sinks.storedReceipts).toHaveLength(1);
  });
});

describe('inbound messages', () => {
  it('an inbound SMPP message is stored, then answered', async () => {
    await connect();
    expect(await smsc.deliver(buildInbound('Hello'))).toMatchObject({ command: 'deliver_sm_resp', command_status: 0 });
    expect(sinks.storedMessages).toMatchObject([
      { carrier: 'smsc', from: '40722000001', to: '40311000000', body: 'Hello', receivedAt: NOW },
    ]);
  });

  it('an inbound SMPP message gets a new ID each time that a person sends the same text', async () => {
    await connect();
    for (let times = 0; times < 2; times++) await smsc.deliver(buildInbound('OK'));
    const ids = sinks.storedMessages.map(({ carrierMessageId }) => carrierMessageId);
    expect(new Set(ids).size).toBe(2);
  });

  it('an inbound SMPP message keeps its ID when the SMSC repeats it because our response was lost', async () => {
    await connect();
    const { promise, resolve: openGate } = withResolvers();
    sinks.gate = promise;
    const responseLost = smsc.deliver(buildInbound('OK'));
    const rejection = expect(responseLost).rejects.toThrow('the connection ended');
    await smsc.request('enquire_link', {});
    smsc.dropConnections();
    await rejection;
    openGate();
    await waitFor('the first message to be stored', () => sinks.storedMessages.length === 1);
    await waitFor('the next bind', () => smsc.bound.length === 1 && smsc.binds.length === 2);
    expect(await smsc.deliver(buildInbound('OK'))).toMatchObject({ command_status: 0 });
    const ids = sinks.storedMessages.map(({ carrierMessageId }) => carrierMessageId);
    expect(new Set(ids).size).toBe(1);
    await smsc.deliver(buildInbound('OK'));
    expect(sinks.storedMessages.at(-1)?.carrierMessageId).not.toBe(ids[0]);
  });

  it('an inbound SMPP message keeps its ID when it is repeated during a receipt lookup', async () => {
    await connect();
    const text = 'id: my passport, stat: lost';
    const responseLost = smsc.deliver(buildInbound(text));
    const rejection = expect(responseLost).rejects.toThrow('the connection ended');
    await smsc.request('enquire_link', {});
    smsc.dropConnections();
    await rejection;
    await waitFor('the next bind', () => smsc.bound.length === 1 && smsc.binds.length === 2);
    expect(sinks.storedMessages).toEqual([]);
    expect(await smsc.deliver(buildInbound(text))).toMatchObject({ command_status: 0 });
    expect(sinks.storedMessages).toHaveLength(2);
    expect(new Set(sinks.storedMessages.map(({ carrierMessageId }) => carrierMessageId)).size).toBe(1);
  });

  it('an inbound SMPP message is recorded as answered only if it is identified by its fingerprint', async () => {
    await connect();
    await smsc.deliver(buildInbound('OK'));
    await smsc.deliver(buildInbound('OK', { receipted_message_id: 'MO-2' }));
    const [generated, supplied] = sinks.storedMessages;
    expect(generated?.fingerprint).toMatch(/^[\w-]{43}$/);
    expect(supplied?.fingerprint).toBeUndefined();
    await waitFor('the recorded answer', () => sinks.answeredIds.length > 0);
    expect(sinks.answeredIds).toEqual([generated?.carrierMessageId]);
    sinks.fail = new Error('the database is unavailable');
    const refusal = smsc.deliver(buildInbound('Later'));
    sinks.fail = null;
    await refusal;
    await waitFor('the recorded answer', () => sinks.answeredIds.length === 2);
  });

  it('an inbound SMPP message has the same ID whenever the SMSC supplies the same message ID', async () => {
    await connect();
    for (let times = 0; times < 2; times++) await smsc.deliver(buildInbound('OK', { receipted_message_id: 'MO-1' }));
    const ids = sinks.storedMessages.map(({ carrierMessageId }) => carrierMessageId);
    expect(new Set(ids).size).toBe(1);
  });

  it('an inbound SMPP message is stored part by part, with part numbers', async () => {
    await connect();
    const text = `${'Жили-были '.repeat(12)}`;
    const parts = encodeParts(segment(text), 9);
    for (const { udh, userData } of parts) {
      const short_message = Buffer.concat([udh as Buffer, userData]);
      await smsc.deliver(buildInbound('', { data_coding: 8, esm_class: 0x40, short_message }));
    }
    expect(sinks.storedMessages.map(({ concatenation }) => concatenation)).toEqual([
      { reference: 9, total: 2, part: 1 },
      { reference: 9, total: 2, part: 2 },
    ]);
    expect(sinks.storedMessages.map(({ body }) => body).join('')).toBe(text);
  });

  it('an inbound SMPP message reports a national sender number and binary content', async () => {
    await connect();
    await smsc.deliver(buildInbound('\x01\xff', { source_addr_ton: 2, source_addr: '0722000001', data_coding: 4 }));
    expect(sinks.storedMessages).toMatchObject([
      { from: '0722000001', isNational: true, body: 'Af8=', isBinary: true },
    ]);
  });

  it('an inbound SMPP message is not mistaken for a receipt that it imitates', async () => {
    await connect();
    await smsc.deliver(buildInbound('id:1 sub:001 dlvrd:001 stat:DELIVRD err:000'));
    expect(sinks.storedReceipts).toEqual([]);
    expect(sinks.storedMessages).toHaveLength(1);
  });
});

describe('SMSC requests', () => {
  it('a request from the SMSC is refused with generic_nack if unknown, and the bind stays up', async () => {
    await connect();
    expect(await smsc.request('query_sm', { message_id: '1' })).toMatchObject({
      command: 'generic_nack',
      command_status: 3,
    });
    expect(await smsc.request('enquire_link', {})).toMatchObject({ command: 'enquire_link_resp' });
  });

  it('a request from the SMSC to unbind is answered, and the carrier binds again', async () => {
    await connect();
    expect(await smsc.request('unbind', {})).toMatchObject({ command: 'unbind_resp' });
    await waitFor('the next bind', () => smsc.binds.length === 2);
    await waitFor('the carrier', () => carrier.state().up);
    await carrier.submit(createSms('Hello'), neverAborted);
  });

  it('a request from the SMSC is refused permanently if malformed, and the bind stays up', async () => {
    await connect();
    const octets = Buffer.alloc(20);
    octets.writeUInt32BE(20, 0);
    octets.writeUInt32BE(5, 4);
    octets.writeUInt32BE(77, 12);
    smsc.sendRaw(octets);
    expect(await smsc.request('enquire_link', {})).toMatchObject({ command: 'enquire_link_resp' });
    expect(smsc.bound).toHaveLength(1);
  });
});

it('an inbound message that we fail to process is refused temporarily and accepted on the next delivery', async () => {
  await connect();
  const { now } = clock;
  clock.now = () => {
    throw new Error('a bug');
  };
  expect(await smsc.deliver(buildInbound('Hello'))).toMatchObject({ command_status: 0x64 });
  clock.now = now;
  expect(logLines.join('')).toContain('could not be processed');
  expect(await smsc.deliver(buildInbound('Hello'))).toMatchObject({ command_status: 0 });
  expect(sinks.storedMessages.map(({ body }) => body)).toEqual(['Hello']);
});
