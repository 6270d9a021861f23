import fc from 'fast-check';
import smpp from 'smpp';
import { describe, expect, it } from 'vitest';
import { inboundNumber } from '../../../src/carriers/smpp/addresses.js';
import { DoneDates } from '../../../src/carriers/smpp/inbound/done-date.js';
import { readInboundText } from '../../../src/carriers/smpp/inbound/inbound-text.js';
import { Repetitions } from '../../../src/carriers/smpp/inbound/repetitions.js';
import { normaliseId } from '../../../src/carriers/smpp/message-ids.js';
import { validityPeriod } from '../../../src/carriers/smpp/session/encode-message.js';
import { Pacer } from '../../../src/carriers/smpp/session/pacer.js';
import { problemsOf } from '../../../src/carriers/smpp/settings.js';
import { BadFrameError, FrameReader } from '../../../src/carriers/smpp/wire/frames.js';
import { MalformedPduError, readMessage, readPdu } from '../../../src/carriers/smpp/wire/pdu-reader.js';
import { encodeParts, segment } from '../../../src/platform/text/segments.js';
import { smppSettings } from './setup.js';

function pdu(command: string, fields: object): Buffer {
  return new smpp.PDU(command, { sequence_number: 7, ...fields }).toBuffer();
}

describe('frames', () => {
  it('are the same however the octets are cut', () => {
    const frames = [
      pdu('enquire_link', {}),
      pdu('deliver_sm', { short_message: Buffer.alloc(200, 1) }),
      pdu('unbind', {}),
    ];
    const octets = Buffer.concat(frames);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: octets.length }), { maxLength: 20 }), (cuts) => {
        const reader = new FrameReader();
        const read: Buffer[] = [];
        let start = 0;
        for (const cut of [...cuts, octets.length].sort((a, b) => a - b)) {
          if (cut > start) read.push(...reader.push(octets.subarray(start, cut)));
          start = Math.max(start, cut);
        }
        expect(read.map((frame) => frame.toString('hex'))).toEqual(frames.map((frame) => frame.toString('hex')));
        expect(reader.pending).toBe(0);
      }),
    );
  });

  it.each([0, 1, 3, 4, 15, 0x20000, 0xffffffff])('of %i octets are none', (length) => {
    const octets = Buffer.alloc(16);
    octets.writeUInt32BE(length);
    expect(() => new FrameReader().push(octets)).toThrow(BadFrameError);
  });
});

describe('a deliver_sm', () => {
  it('is read with a TLV of text that has no NUL', () => {
    const octets = Buffer.concat([
      pdu('deliver_sm', { source_addr: '40722000001', esm_class: 4, short_message: Buffer.alloc(0) }),
      Buffer.from([0x00, 0x1e, 0x00, 0x04, ...Buffer.from('F00D'), 0x04, 0x27, 0x00, 0x01, 0x02]),
    ]);
    const { tlvs } = readMessage(readPdu(octets));
    expect([...tlvs]).toEqual([
      [0x001e, Buffer.from('F00D')],
      [0x0427, Buffer.from([2])],
    ]);
  });

  it('is refused when its fields do not fit into it, and never read beyond it', () => {
    const whole = pdu('deliver_sm', { source_addr: '40722000001', short_message: Buffer.from('Hello') });
    for (let length = 16; length < whole.length; length++) {
      expect(() => readMessage(readPdu(whole.subarray(0, length)))).toThrow(MalformedPduError);
    }
    expect(readMessage(readPdu(whole)).octets.toString()).toBe('Hello');
  });

  it('is read or refused, whatever its octets are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (body) => {
        const read = readPdu(Buffer.concat([Buffer.from([0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 1]), body]));
        try {
          readInboundText(readMessage(read), 'gsm7');
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedPduError);
        }
      }),
    );
  });

  it('may hold its text in message_payload', () => {
    const read = readMessage(readPdu(pdu('deliver_sm', { message_payload: Buffer.from('long text') })));
    expect(read.octets.toString()).toBe('long text');
  });
});

describe('an inbound text', () => {
  const read = (fields: object, alphabet: 'gsm7' | 'latin1' | 'utf8' = 'gsm7') =>
    readInboundText(readMessage(readPdu(pdu('deliver_sm', fields))), alphabet);

  it('is what was sent, in either encoding and in every part', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 400 }), (text) => {
        const segmentation = segment(text);
        const data_coding = segmentation.encoding === 'gsm7' ? 0 : 8;
        const texts = encodeParts(segmentation, 42).map(({ udh, userData }, index) => {
          const short_message = udh ? Buffer.concat([udh, userData]) : userData;
          const part = read({ data_coding, esm_class: udh ? 0x40 : 0, short_message });
          const total = segmentation.parts.length;
          expect(part.concatenation).toEqual(total > 1 ? { reference: 42, total, part: index + 1 } : null);
          return part.text;
        });
        expect(texts.join('')).toBe(text);
      }),
    );
  });

  it.each([
    [0x01, 'latin1', 'ASCII @_'],
    [0x03, 'latin1', 'Größe'],
    [0x18, 'utf16be', 'Flash Привет'],
  ] as const)('is read by data_coding %i', (data_coding, encoding, text) => {
    const octets = encoding === 'latin1' ? Buffer.from(text, 'latin1') : Buffer.from(text, 'utf16le').swap16();
    expect(read({ data_coding, short_message: octets }).text).toBe(text);
  });

  it('is read in the alphabet that the SMSC uses by default', () => {
    expect(read({ data_coding: 0, short_message: Buffer.from([0x00, 0x7e, 0x1b, 0x65]) }).text).toBe('@ü€');
    expect(read({ data_coding: 0xf0, short_message: Buffer.from([0x00]) }).text).toBe('@');
    expect(read({ data_coding: 0, short_message: Buffer.from('Größe', 'latin1') }, 'latin1').text).toBe('Größe');
    expect(read({ data_coding: 0, short_message: Buffer.from('Größe €') }, 'utf8').text).toBe('Größe €');
  });

  it('tells its part by a reference of two octets, behind other elements, or by SAR TLVs', () => {
    const udh = Buffer.from([0x0a, 0x24, 0x02, 1, 1, 0x08, 0x04, 0x12, 0x34, 3, 2]);
    expect(read({ esm_class: 0x40, short_message: Buffer.concat([udh, Buffer.from('Hi')]) })).toEqual({
      text: 'Hi',
      concatenation: { reference: 0x1234, total: 3, part: 2 },
    });
    const sar = { sar_msg_ref_num: 777, sar_total_segments: 2, sar_segment_seqnum: 2 };
    expect(read({ short_message: Buffer.from('Hi'), ...sar }).concatenation).toEqual({
      reference: 777,
      total: 2,
      part: 2,
    });
  });

  it.each([
    [3, 0],
    [3, 4],
    [0, 1],
  ])('is a message of its own when it says %i parts, part %i', (total, part) => {
    const short_message = Buffer.from([5, 0, 3, 1, total, part, 0x48]);
    expect(read({ esm_class: 0x40, short_message })).toEqual({ text: 'H', concatenation: null });
  });
});

describe('an inbound number', () => {
  it.each([
    ['+40722000001', 1, '40722000001'],
    ['0040722000001', 0, '40722000001'],
    ['0722000001', 2, '40722000001'],
    ['0722000001', 0, '40722000001'],
    ['722000001', 2, '40722000001'],
    ['40722000001', 1, '40722000001'],
    ['1820', 3, '1820'],
    ['Shop', 5, 'Shop'],
  ])('%s of type %i is %s', (address, ton, number) => {
    expect(inboundNumber(address, ton, smppSettings(1, { countryCallingCode: '40' }))).toBe(number);
  });

  it('stays national without a country', () => {
    expect(inboundNumber('0722000001', 2, smppSettings(1))).toBe('0722000001');
  });
});

describe('message ids', () => {
  it.each([
    ['text', ' AbC ', 'AbC'],
    ['hex', '00DeadBeef', '3735928559'],
    ['hex', 'not hex', 'not hex'],
    ['decimal', '0003735928559', '3735928559'],
    ['decimal', 'a-1', 'a-1'],
    ['hex', 'ffffffffffffffffff', '4722366482869645213695'],
  ] as const)('as %s: %s is %s', (format, id, expected) => {
    expect(normaliseId(id, format)).toBe(expected);
  });
});

describe('done dates', () => {
  it.each([
    ['Europe/Bucharest', '2701151201', '2027-01-15T10:01:00.000Z'],
    ['Europe/Bucharest', '270715120130', '2027-07-15T09:01:30.000Z'],
    ['Europe/Bucharest', '20270715120130', '2027-07-15T09:01:30.000Z'],
    ['Europe/Bucharest', '202707151201', '2027-07-15T09:01:00.000Z'],
    ['Europe/Berlin', '2703280330', '2027-03-28T01:30:00.000Z'],
    ['America/New_York', '2711070030', '2027-11-07T04:30:00.000Z'],
    ['UTC', '2701151201', '2027-01-15T12:01:00.000Z'],
  ])('in %s %s is %s', (zone, digits, expected) => {
    expect(new DoneDates(zone).read(digits)?.toISOString()).toBe(expected);
  });

  it.each(['2713151201', '2702301201', '2701152501', '27011512', ''])('%s is none', (digits) => {
    expect(new DoneDates('UTC').read(digits)).toBeNull();
  });
});

describe('the validity period', () => {
  const now = new Date('2027-01-15T12:00:00Z');
  it.each([
    [1_000, '000000000001000R'],
    [-5_000, '000000000001000R'],
    [48 * 3_600_000, '000002000000000R'],
    [400 * 86_400_000, '010105000000000R'],
  ])('of %i ms is %s', (milliseconds, expected) => {
    expect(validityPeriod(new Date(now.getTime() + milliseconds), now, 'relative')).toBe(expected);
  });

  it('may be left to the SMSC', () => {
    expect(validityPeriod(now, now, 'none')).toBe('');
  });
});

describe('settings', () => {
  it.each([
    [{ reconnectMinSeconds: 5, reconnectMaxSeconds: 1 }, 'reconnectMaxSeconds'],
    [{ tls: true, tlsCertificate: 'x' }, 'tlsKey'],
    [{ tls: true, tlsKey: 'x' }, 'tlsCertificate'],
    [{ tlsServerName: 'smsc' }, 'tlsServerName'],
    [{ interfaceVersion: '3.3', multipart: 'sar' }, 'multipart'],
    [{ receiptTimeZone: 'Mars/Olympus' }, 'receiptTimeZone'],
  ] as const)('that cannot work are named: %o', (settings, name) => {
    const problems = problemsOf(smppSettings(1, settings));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^${name} `));
  });

  it('that can work are not', () => {
    expect(
      problemsOf(smppSettings(1, { tls: true, tlsServerName: 'smsc', receiptTimeZone: 'Europe/Bucharest' })),
    ).toEqual([]);
  });
});

describe('the pace', () => {
  it('is halved once for a burst, pauses longer while nothing succeeds, and comes back', () => {
    const pacer = new Pacer({ window: 100, ratePerSecond: 200 });
    for (let now = 0; now < 500; now += 5) pacer.sent(now);
    pacer.throttled(490, 500);
    pacer.throttled(495, 501);
    expect(pacer.ratePerSecond).toBe(100);
    expect(pacer.pausedUntil).toBe(750);
    pacer.throttled(760, 770);
    expect(pacer.pausedUntil).toBe(770 + 500);
    pacer.throttled(1_280, 1_290);
    expect(pacer.pausedUntil).toBe(1_290 + 1_000);
    let now = 3_000;
    for (; pacer.ratePerSecond < 200 && now < 120_000; now += 1_000) pacer.succeeded(now);
    expect(pacer.ratePerSecond).toBe(200);
    expect(now).toBeGreaterThan(7_000);
    pacer.throttled(now, now + 1);
    expect(pacer.pausedUntil).toBe(now + 1 + 250);
  });

  it('never falls below a floor, nor below the limit that was set', () => {
    for (const [ratePerSecond, floor] of [
      [1_000, 10],
      [2, 2],
    ] as const) {
      const pacer = new Pacer({ window: 10, ratePerSecond });
      for (let now = 0; now < 100_000; now += 1_000) pacer.throttled(now, now + 1);
      expect(pacer.ratePerSecond).toBe(floor);
    }
  });

  it('catches up with a late timer, but not with a silence', () => {
    const pacer = new Pacer({ window: 1_000, ratePerSecond: 1_000 });
    pacer.sent(0);
    let sent = 0;
    for (; pacer.nextAt() <= 5_000; sent++) pacer.sent(5_000);
    expect(sent).toBeLessThan(13);
  });
});

describe('repetitions', () => {
  const connection = {};
  let made = 0;
  const makeId = () => `id-${++made}`;

  it('are not what a person writes twice', () => {
    const repetitions = new Repetitions();
    const first = repetitions.arrive('OK', connection, 0, makeId);
    const second = repetitions.arrive('OK', connection, 100, makeId);
    expect(second.id).not.toBe(first.id);
    second.stored = true;
    second.answeredAt = 200;
    expect(repetitions.arrive('OK', connection, 300, makeId).id).not.toBe(second.id);
  });

  it('are what comes again after the connection ended before its answer, or right after it', () => {
    const repetitions = new Repetitions();
    const unanswered = repetitions.arrive('A', connection, 0, makeId);
    const answered = repetitions.arrive('B', connection, 0, makeId);
    Object.assign(answered, { stored: true, answeredAt: 10 });
    repetitions.ended(connection, 5_000);
    expect(repetitions.arrive('A', {}, 60_000, makeId)).toMatchObject({ id: unanswered.id, stored: false });
    expect(repetitions.arrive('B', {}, 60_000, makeId)).toMatchObject({ id: answered.id, stored: true });
    expect(repetitions.arrive('B', {}, 60_001, makeId).id).not.toBe(answered.id);
  });

  it('are not what comes long after', () => {
    const repetitions = new Repetitions();
    const first = repetitions.arrive('A', connection, 0, makeId);
    Object.assign(first, { stored: true, answeredAt: 10 });
    repetitions.ended(connection, 20_000);
    expect(repetitions.arrive('A', {}, 21_000, makeId).id).not.toBe(first.id);
    const other = repetitions.arrive('B', connection, 21_000, makeId);
    repetitions.ended(connection, 22_000);
    expect(repetitions.arrive('B', {}, 22_000 + 11 * 60_000, makeId).id).not.toBe(other.id);
  });

  it('are what was answered with an error, and what has waited too long', () => {
    const repetitions = new Repetitions();
    const failed = repetitions.arrive('A', connection, 0, makeId);
    failed.answeredAt = 10;
    expect(repetitions.arrive('A', connection, 1_000, makeId).id).toBe(failed.id);
    const slow = repetitions.arrive('B', connection, 0, makeId);
    expect(repetitions.arrive('B', connection, 30_000, makeId).id).toBe(slow.id);
  });
});
