import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readInboundText } from '../../../../src/carriers/smpp/inbound/inbound-text.js';
import { readMessage } from '../../../../src/carriers/smpp/wire/deliver-sm.js';
import { readPdu } from '../../../../src/carriers/smpp/wire/pdu.js';
import { TAG } from '../../../../src/carriers/smpp/wire/tlvs.js';
import { encodeParts, segment } from '../../../../src/carriers/sms/segments.js';
import { encodeWithPeer } from '../wire/peer.js';

describe('readInboundText', () => {
  const readText = (fields: object, alphabet: 'gsm7' | 'latin1' | 'utf8' = 'gsm7') =>
    readInboundText(readMessage(readPdu(encodeWithPeer('deliver_sm', fields))), alphabet);

  it('the SMPP text decoder restores any text from its GSM or UCS-2 parts', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 400 }), (text) => {
        const segmentation = segment(text);
        const data_coding = segmentation.encoding === 'gsm7' ? 0 : 8;
        const texts = encodeParts(segmentation, 42).map(({ udh, userData }, index) => {
          const short_message = udh ? Buffer.concat([udh, userData]) : userData;
          const inboundPart = readText({ data_coding, esm_class: udh ? 0x40 : 0, short_message });
          const total = segmentation.parts.length;
          expect(inboundPart.concatenation).toEqual(total > 1 ? { reference: 42, total, part: index + 1 } : null);
          return inboundPart.text;
        });
        expect(texts.join('')).toBe(text);
      }),
    );
  });

  it.each([
    [0x01, 'latin1', 'ASCII @_'],
    [0x03, 'latin1', 'Größe'],
    [0x18, 'utf16be', 'Flash Привет'],
  ] as const)('the SMPP text decoder decodes data_coding %i', (data_coding, encoding, text) => {
    const octets = encoding === 'latin1' ? Buffer.from(text, 'latin1') : Buffer.from(text, 'utf16le').swap16();
    expect(readText({ data_coding, short_message: octets }).text).toBe(text);
  });

  it.each([0x02, 0x04, 0x14, 0xf4, 0xf5])(
    'the SMPP text decoder returns the octets of a binary message with data_coding %i as base64',
    (data_coding) => {
      const octets = Buffer.from([0x00, 0xff, 0x80, 0x1b]);
      const header = Buffer.from([6, 5, 4, 0x23, 0xf4, 0, 0]);
      const data = octets.toString('base64');
      expect(readText({ data_coding, short_message: octets })).toEqual({
        text: data,
        isBinary: true,
        concatenation: null,
      });
      expect(readText({ data_coding, esm_class: 0x40, short_message: Buffer.concat([header, octets]) }).text).toBe(
        data,
      );
    },
  );

  it('the SMPP text decoder uses the configured alphabet for data_coding 0', () => {
    expect(readText({ data_coding: 0, short_message: Buffer.from([0x00, 0x7e, 0x1b, 0x65]) }).text).toBe('@ü€');
    expect(readText({ data_coding: 0xf0, short_message: Buffer.from([0x00]) }).text).toBe('@');
    expect(readText({ data_coding: 0, short_message: Buffer.from('Größe', 'latin1') }, 'latin1').text).toBe('Größe');
    expect(readText({ data_coding: 0, short_message: Buffer.from('Größe €') }, 'utf8').text).toBe('Größe €');
  });

  it('the SMPP text decoder reads part numbers from a 16-bit header element or from SAR TLVs', () => {
    const udh = Buffer.from([0x0a, 0x24, 0x02, 1, 1, 0x08, 0x04, 0x12, 0x34, 3, 2]);
    expect(readText({ esm_class: 0x40, short_message: Buffer.concat([udh, Buffer.from('Hi')]) })).toEqual({
      text: 'Hi',
      isBinary: false,
      concatenation: { reference: 0x1234, total: 3, part: 2 },
      encoded: { octets: Buffer.from('Hi'), encoding: 'gsm7' },
    });
    const sar = { sar_msg_ref_num: 777, sar_total_segments: 2, sar_segment_seqnum: 2 };
    expect(readText({ short_message: Buffer.from('Hi'), ...sar }).concatenation).toEqual({
      reference: 777,
      total: 2,
      part: 2,
    });
  });

  it.each([
    [[0x24, 1, 1], [0x1b, 0x53, 0x1b, 0x69], 'Şı'],
    [[0x24, 1, 2], [0x1b, 0x61], 'á'],
    [[0x25, 1, 1], [0x1c, 0x07], 'Şı'],
    [[0x25, 1, 3], [0x7b, 0x6f], 'ão'],
    [[0x25, 1, 6, 0x24, 1, 6], [0x15, 0x1b, 0x1c], 'क०'],
    [[0x00, 3, 1, 1, 1, 0x24, 1, 1], [0x1b, 0x67], 'ğ'],
    [[0x24, 1, 2, 0x24, 1, 1], [0x1b, 0x67], 'ğ'],
  ])('the SMPP text decoder uses the language tables of the header %j', (elements, septets, text) => {
    const short_message = Buffer.from([elements.length, ...elements, ...septets]);
    expect(readText({ data_coding: 0, esm_class: 0x40, short_message }).text).toBe(text);
    expect(readText({ data_coding: 0xf1, esm_class: 0x40, short_message }).text).toBe(text);
  });

  it('the SMPP text decoder reduces oversized SAR references to 16 bits and ignores oversized totals', () => {
    const toUint32 = (value: number) => {
      const octets = Buffer.alloc(4);
      octets.writeUInt32BE(value);
      return octets;
    };
    const createSarFields = (reference: number, total: number, part: number) => {
      const numbers = [TAG.sarReference, TAG.sarTotal, TAG.sarSequence] as const;
      const values = [reference, total, part].map(toUint32);
      const tlvs = new Map(numbers.map((tag, index) => [tag as number, values[index] as Buffer]));
      const message = readMessage(readPdu(encodeWithPeer('deliver_sm', { short_message: Buffer.from('Hi') })));
      return readInboundText({ ...message, tlvs }, 'gsm7').concatenation;
    };
    expect(createSarFields(0xffff0309, 2, 2)).toEqual({ reference: 0x0309, total: 2, part: 2 });
    expect(createSarFields(1, 0x02000000, 1)).toBeNull();
    expect(createSarFields(1, 256, 1)).toBeNull();
  });

  it.each([
    [3, 0],
    [3, 4],
    [0, 1],
  ])(
    'the SMPP text decoder treats a text with impossible part numbers (%i parts, part %i) as a complete message',
    (total, part) => {
      const short_message = Buffer.from([5, 0, 3, 1, total, part, 0x48]);
      expect(readText({ esm_class: 0x40, short_message })).toEqual({ text: 'H', isBinary: false, concatenation: null });
    },
  );
});
