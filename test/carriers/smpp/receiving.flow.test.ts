import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SmppSettings } from '../../../src/carriers/smpp/settings.js';
import type { SmppCarrier } from '../../../src/carriers/smpp/smpp-carrier.js';
import { encodeParts, segment } from '../../../src/carriers/sms/segments.js';
import { withResolvers } from '../../../src/platform/with-resolvers.js';
import { ManualClock } from '../../support/manual-clock.js';
import { waitFor } from '../../support/wait-for.js';
import { Kept, never, smppCarrier, smppSettings, sms } from './setup.js';
import { receipt, Smsc } from './smsc.js';

const NOW = new Date('2027-01-15T12:00:00Z');
let smsc: Smsc;
let carrier: SmppCarrier;
let kept: Kept;
let clock: ManualClock;
let logged: string[];
const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) });

async function connect(settings: Partial<SmppSettings> = {}) {
  carrier = smppCarrier(smppSettings(smsc.port, settings), { clock, log });
  await carrier.start(kept);
  // The SMSC has bound it before the carrier hears of that. A receiver never takes a message.
  await waitFor('the bind', () => smsc.bound.length > 0 && (settings.bindType === 'receiver' || carrier.state().up));
}

beforeEach(async () => {
  clock = new ManualClock(NOW);
  logged = [];
  kept = new Kept();
  smsc = await Smsc.start();
});

afterEach(async () => {
  await carrier.close(AbortSignal.timeout(1_000));
  await smsc.kill();
});

/** A message of a telephone. */
function mobile(text: string, fields: object = {}): object {
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

describe('a receipt', () => {
  it('is handed over by the id of its message and then answered', async () => {
    await connect();
    smsc.treat = () => ({ id: 'F00D' });
    const { carrierMessageId } = await carrier.submit(sms('Hello'), never);
    const answer = await smsc.deliver(receipt('DELIVRD', { id: 'F00D' }));
    expect(answer).toMatchObject({ command: 'deliver_sm_resp', command_status: 0 });
    expect(kept.receiptsTaken).toEqual([{ carrier: 'smsc', carrierMessageId, status: 'delivered', occurredAt: NOW }]);
  });

  it('may overtake the response', async () => {
    await connect();
    smsc.treat = () => ({ answer: 'receipt-first', receipts: [receipt()] });
    const { carrierMessageId } = await carrier.submit(sms('Hello'), never);
    expect(kept.receiptsTaken).toMatchObject([{ carrierMessageId, status: 'delivered' }]);
  });

  it('tells why the message did not arrive', async () => {
    await connect();
    await smsc.deliver(receipt('UNDELIV', { id: '1', err: '027' }));
    await smsc.deliver(receipt('EXPIRED', { id: '2' }));
    expect(kept.receiptsTaken).toMatchObject([
      { status: 'undelivered', errorCode: '027', errorMessage: 'The SMSC reports UNDELIV, error 027.' },
      { status: 'expired', errorCode: 'EXPIRED', errorMessage: 'The SMSC reports EXPIRED.' },
    ]);
  });

  it('finds its message when the id is hexadecimal in the response and decimal in the receipt', async () => {
    await connect({ responseIdFormat: 'hex', receiptIdFormat: 'decimal' });
    smsc.treat = () => ({ id: '1A2B3C' });
    const { carrierMessageId } = await carrier.submit(sms('Hello'), never);
    await smsc.deliver(receipt('DELIVRD', { id: '0001715004' }));
    expect(kept.receiptsTaken).toMatchObject([{ carrierMessageId }]);
  });

  it('finds its message by a TLV that repeats the hexadecimal id', async () => {
    await connect({ responseIdFormat: 'hex', receiptIdFormat: 'decimal' });
    smsc.treat = () => ({ id: '1A2B3C' });
    const { carrierMessageId } = await carrier.submit(sms('Hello'), never);
    await smsc.deliver({ ...receipt('DELIVRD', { id: '0001715004' }), receipted_message_id: '1A2B3C' });
    await smsc.deliver({ esm_class: 4, receipted_message_id: '1A2B3C', message_state: 2 });
    expect(kept.receiptsTaken).toMatchObject([{ carrierMessageId }, { carrierMessageId }]);
  });

  it('may be written in UCS-2', async () => {
    await connect();
    const { short_message, ...fields } = receipt('DELIVRD', { id: 'F00D' }) as { short_message: Buffer };
    const ucs2 = Buffer.from(short_message.toString('latin1'), 'utf16le').swap16();
    await smsc.deliver({ ...fields, data_coding: 8, short_message: ucs2 });
    expect(kept.receiptsTaken).toMatchObject([{ carrierMessageId: 'F00D', status: 'delivered' }]);
  });

  it('that names a state of its own is logged with its ids, and without its text', async () => {
    await connect();
    const { short_message, ...fields } = receipt('MISLAID', { id: 'F00D' }) as { short_message: Buffer };
    await smsc.deliver({ ...fields, short_message: Buffer.concat([short_message, Buffer.from(' text:Secret')]) });
    expect(kept.receiptsTaken).toEqual([]);
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([{ state: 'MISLAID', textId: 'F00D', tlvId: null }]);
    expect(logged.join()).not.toContain('Secret');
  });

  it('has its own time where the zone of the SMSC is known, but never one ahead of ours', async () => {
    await connect({ receiptTimeZone: 'Europe/Bucharest' });
    clock.set('2027-01-15T10:30:00Z');
    await smsc.deliver(receipt());
    expect(kept.receiptsTaken[0]?.occurredAt).toEqual(new Date('2027-01-15T10:01:00Z'));
    clock.set('2027-01-15T09:59:00Z');
    await smsc.deliver(receipt());
    expect(kept.receiptsTaken[1]?.occurredAt).toEqual(new Date('2027-01-15T09:59:00Z'));
  });

  it('may come as data_sm, and by its TLVs alone', async () => {
    await connect();
    const tlvs = { receipted_message_id: 'F00D', message_state: 2 };
    const answer = await smsc.request('data_sm', { source_addr: '40722000001', esm_class: 4, ...tlvs });
    expect(answer).toMatchObject({ command: 'data_sm_resp', command_status: 0 });
    await smsc.deliver({ source_addr: '40722000001', esm_class: 0, short_message: Buffer.alloc(0), ...tlvs });
    expect(kept.receiptsTaken).toMatchObject([
      { carrierMessageId: 'F00D', status: 'delivered' },
      { carrierMessageId: 'F00D', status: 'delivered' },
    ]);
  });

  it('on the way, or without a meaning, is only answered', async () => {
    await connect();
    for (const fields of [receipt('ENROUTE', { esmClass: 0x20 }), receipt('ACCEPTD'), receipt('DELIVRD', { id: '' })]) {
      expect(await smsc.deliver(fields)).toMatchObject({ command_status: 0 });
    }
    expect(kept.receiptsTaken).toEqual([]);
  });

  it('is answered only once it is stored, together with all that came meanwhile', async () => {
    await connect();
    const { promise, resolve: open } = withResolvers();
    kept.gate = promise;
    let answered = 0;
    const answers = Array.from({ length: 50 }, async (_, index) => {
      await smsc.deliver(receipt('DELIVRD', { id: String(index) }));
      answered += 1;
    });
    // The SMSC's next request is answered while the receipts wait: all of them have been read by then.
    await smsc.request('enquire_link', {});
    expect(answered).toBe(0);
    open();
    await Promise.all(answers);
    expect(kept.receiptsTaken).toHaveLength(50);
  });

  it('is asked for again when the store stays away', async () => {
    await connect();
    kept.fail = new Error('the store is away');
    expect(await smsc.deliver(receipt())).toMatchObject({ command_status: 0x64 });
    kept.fail = null;
    expect(await smsc.deliver(receipt())).toMatchObject({ command_status: 0 });
    expect(kept.receiptsTaken).toHaveLength(1);
  });

  it('waits for a store that is away for a moment', async () => {
    await connect();
    kept.fail = new Error('the store is away');
    const answer = smsc.deliver(receipt());
    await smsc.request('enquire_link', {});
    kept.fail = null;
    expect(await answer).toMatchObject({ command_status: 0 });
    expect(kept.receiptsTaken).toHaveLength(1);
  });
});

describe('a message of a telephone', () => {
  it('is handed over and then answered', async () => {
    await connect();
    expect(await smsc.deliver(mobile('Hello'))).toMatchObject({ command: 'deliver_sm_resp', command_status: 0 });
    expect(kept.inboundTaken).toMatchObject([
      { carrier: 'smsc', from: '40722000001', to: '40311000000', body: 'Hello', receivedAt: NOW },
    ]);
  });

  it('is a new one each time that a person writes it', async () => {
    await connect();
    for (let times = 0; times < 2; times++) await smsc.deliver(mobile('OK'));
    const ids = kept.inboundTaken.map(({ carrierMessageId }) => carrierMessageId);
    expect(new Set(ids).size).toBe(2);
  });

  it('keeps its id when the SMSC sends it again because the answer was lost', async () => {
    await connect();
    const { promise, resolve: open } = withResolvers();
    kept.gate = promise;
    const lost = smsc.deliver(mobile('OK'));
    const ended = expect(lost).rejects.toThrow('the connection ended');
    await smsc.request('enquire_link', {});
    smsc.dropConnections();
    await ended;
    open();
    await waitFor('the first to be handed over', () => kept.inboundTaken.length === 1);
    await waitFor('the next bind', () => smsc.bound.length === 1 && smsc.binds.length === 2);
    expect(await smsc.deliver(mobile('OK'))).toMatchObject({ command_status: 0 });
    const ids = kept.inboundTaken.map(({ carrierMessageId }) => carrierMessageId);
    expect(new Set(ids).size).toBe(1);
    await smsc.deliver(mobile('OK'));
    expect(kept.inboundTaken.at(-1)?.carrierMessageId).not.toBe(ids[0]);
  });

  it('keeps its id when it comes again while it was looked up whether it is a receipt', async () => {
    await connect();
    const text = 'id: my passport, stat: lost';
    const lost = smsc.deliver(mobile(text));
    const ended = expect(lost).rejects.toThrow('the connection ended');
    await smsc.request('enquire_link', {});
    smsc.dropConnections();
    await ended;
    await waitFor('the next bind', () => smsc.bound.length === 1 && smsc.binds.length === 2);
    expect(kept.inboundTaken).toEqual([]);
    expect(await smsc.deliver(mobile(text))).toMatchObject({ command_status: 0 });
    expect(kept.inboundTaken).toHaveLength(2);
    expect(new Set(kept.inboundTaken.map(({ carrierMessageId }) => carrierMessageId)).size).toBe(1);
  });

  it('is told to be answered once it is, where only its fingerprint would know it again', async () => {
    await connect();
    await smsc.deliver(mobile('OK'));
    await smsc.deliver(mobile('OK', { receipted_message_id: 'MO-2' }));
    const [own, given] = kept.inboundTaken;
    expect(own?.fingerprint).toMatch(/^[\w-]{43}$/);
    expect(given?.fingerprint).toBeUndefined();
    await waitFor('it to be told', () => kept.answeredIds.length > 0);
    expect(kept.answeredIds).toEqual([own?.carrierMessageId]);
    kept.fail = new Error('the store is away');
    const refused = smsc.deliver(mobile('Later'));
    kept.fail = null;
    await refused;
    await waitFor('it to be told', () => kept.answeredIds.length === 2);
  });

  it('keeps the id that the SMSC gives it', async () => {
    await connect();
    for (let times = 0; times < 2; times++) await smsc.deliver(mobile('OK', { receipted_message_id: 'MO-1' }));
    const ids = kept.inboundTaken.map(({ carrierMessageId }) => carrierMessageId);
    expect(new Set(ids).size).toBe(1);
  });

  it('is handed over part by part, each with its place', async () => {
    await connect();
    const text = `${'Жили-были '.repeat(12)}`;
    const parts = encodeParts(segment(text), 9);
    for (const { udh, userData } of parts) {
      const short_message = Buffer.concat([udh as Buffer, userData]);
      await smsc.deliver(mobile('', { data_coding: 8, esm_class: 0x40, short_message }));
    }
    expect(kept.inboundTaken.map(({ concatenation }) => concatenation)).toEqual([
      { reference: 9, total: 2, part: 1 },
      { reference: 9, total: 2, part: 2 },
    ]);
    expect(kept.inboundTaken.map(({ body }) => body).join('')).toBe(text);
  });

  it('says that its sender is in national form, and that it is no text', async () => {
    await connect();
    await smsc.deliver(mobile('\x01\xff', { source_addr_ton: 2, source_addr: '0722000001', data_coding: 4 }));
    expect(kept.inboundTaken).toMatchObject([{ from: '0722000001', isNational: true, body: 'Af8=', isBinary: true }]);
  });

  it('is never taken for a receipt because it reads like one', async () => {
    await connect();
    await smsc.deliver(mobile('id:1 sub:001 dlvrd:001 stat:DELIVRD err:000'));
    expect(kept.receiptsTaken).toEqual([]);
    expect(kept.inboundTaken).toHaveLength(1);
  });
});

describe('a request of the SMSC', () => {
  it('that is unknown here is refused, and the bind stays', async () => {
    await connect();
    expect(await smsc.request('query_sm', { message_id: '1' })).toMatchObject({
      command: 'generic_nack',
      command_status: 3,
    });
    expect(await smsc.request('enquire_link', {})).toMatchObject({ command: 'enquire_link_resp' });
  });

  it('to unbind is followed, and the carrier binds again', async () => {
    await connect();
    expect(await smsc.request('unbind', {})).toMatchObject({ command: 'unbind_resp' });
    await waitFor('the next bind', () => smsc.binds.length === 2);
    await waitFor('the carrier', () => carrier.state().up);
    await carrier.submit(sms('Hello'), never);
  });

  it('that cannot be read is refused for good, and the bind stays', async () => {
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

it('what this server fails to take is refused for the time being, and taken when it comes again', async () => {
  await connect();
  const { now } = clock;
  clock.now = () => {
    throw new Error('a bug');
  };
  expect(await smsc.deliver(mobile('Hello'))).toMatchObject({ command_status: 0x64 });
  clock.now = now;
  expect(logged.join('')).toContain('could not be taken');
  expect(await smsc.deliver(mobile('Hello'))).toMatchObject({ command_status: 0 });
  expect(kept.inboundTaken.map(({ body }) => body)).toEqual(['Hello']);
});
