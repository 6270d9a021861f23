import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readInboundText } from '../../../../src/carriers/smpp/inbound/inbound-text.js';
import { isReceipt, parseReceipt } from '../../../../src/carriers/smpp/inbound/receipt-parser.js';
import { readMessage } from '../../../../src/carriers/smpp/wire/deliver-sm.js';
import { MalformedPduError } from '../../../../src/carriers/smpp/wire/field-reader.js';
import { readPdu } from '../../../../src/carriers/smpp/wire/pdu.js';
import { TAG } from '../../../../src/carriers/smpp/wire/tlvs.js';
import { cString, encodeWithPeer, octet, octets } from './peer.js';

const COMMANDS = ['deliver_sm', 'data_sm'] as const;
const TLVS = { receipted_message_id: 'F00D', message_state: 2 };

function encodePeerFrame(command: (typeof COMMANDS)[number]): Buffer {
  return encodeWithPeer(command, {
    source_addr: '40722000001',
    destination_addr: '1820',
    esm_class: 4,
    short_message: Buffer.from('Hello'),
    ...TLVS,
  });
}

function readOrRefuse(frame: Buffer): void {
  try {
    const message = readMessage(readPdu(frame));
    readInboundText(message, 'gsm7');
    isReceipt(message);
    parseReceipt(message);
  } catch (error) {
    expect(error).toBeInstanceOf(MalformedPduError);
  }
}

describe('readMessage', () => {
  it('the deliver_sm parser decodes a deliver_sm of an independent implementation', () => {
    const fields = fc.record({
      service_type: cString(5),
      source_addr_ton: octet,
      source_addr: cString(20),
      dest_addr_ton: octet,
      destination_addr: cString(20),
      esm_class: octet,
      data_coding: octet,
      short_message: octets(254).filter(({ length }) => length > 0),
      user_message_reference: fc.integer({ min: 0, max: 0xffff }),
    });
    fc.assert(
      fc.property(fields, (message) => {
        const { tlvs, ...read } = readMessage(readPdu(encodeWithPeer('deliver_sm', message)));
        expect(read).toEqual({
          sourceTon: message.source_addr_ton,
          source: message.source_addr,
          destinationTon: message.dest_addr_ton,
          destination: message.destination_addr,
          esmClass: message.esm_class,
          dataCoding: message.data_coding,
          scheduleDeliveryTime: '',
          octets: message.short_message,
        });
        expect(tlvs.get(TAG.userMessageReference)?.readUInt16BE()).toBe(message.user_message_reference);
      }),
    );
  });

  it('the deliver_sm parser reads the text from message_payload', () => {
    for (const command of COMMANDS) {
      const frame = encodeWithPeer(command, { source_addr: '1', message_payload: Buffer.from('long text') });
      expect(readMessage(readPdu(frame)).octets.toString()).toBe('long text');
    }
  });

  it('the deliver_sm parser accepts a string TLV without NUL', () => {
    const frame = Buffer.concat([
      encodeWithPeer('deliver_sm', { source_addr: '40722000001', esm_class: 4, short_message: Buffer.alloc(0) }),
      Buffer.from([0x00, 0x1e, 0x00, 0x04, ...Buffer.from('F00D'), 0x04, 0x27, 0x00, 0x01, 0x02]),
    ]);
    const { tlvs } = readMessage(readPdu(frame));
    expect([...tlvs]).toEqual([
      [0x001e, Buffer.from('F00D')],
      [0x0427, Buffer.from([2])],
    ]);
  });

  it.each(COMMANDS)(
    'the deliver_sm parser rejects a %s that is cut off in its fields, but accepts one that is cut off in a TLV',
    (command) => {
      const completeFrame = encodePeerFrame(command);
      const tlvOctets = 4 + 'F00D\0'.length + 4 + 1;
      const mandatory = completeFrame.length - tlvOctets;
      const { tlvs: all, ...fields } = readMessage(readPdu(completeFrame));
      expect([...all.keys()]).toEqual([TAG.receiptedMessageId, TAG.messageState]);
      for (let length = 16; length < mandatory; length++) {
        expect(() => readMessage(readPdu(completeFrame.subarray(0, length)))).toThrow(MalformedPduError);
      }
      for (let length = mandatory; length < completeFrame.length; length++) {
        const { tlvs, ...read } = readMessage(readPdu(completeFrame.subarray(0, length)));
        expect(read).toEqual(fields);
        expect([...tlvs]).toEqual([...all].slice(0, length < mandatory + 9 ? 0 : 1));
      }
    },
  );

  it.each(COMMANDS)('the deliver_sm parser parses or rejects a %s with arbitrary octets', (command) => {
    const header = encodePeerFrame(command).subarray(0, 16);
    fc.assert(fc.property(octets(300), (body) => readOrRefuse(Buffer.concat([header, body]))));
  });

  it.each(COMMANDS)('the deliver_sm parser parses or rejects a %s with some corrupted octets', (command) => {
    const completeFrame = encodePeerFrame(command);
    const positions = fc.integer({ min: 16, max: completeFrame.length - 1 });
    fc.assert(
      fc.property(fc.array(fc.tuple(positions, octet), { minLength: 1, maxLength: 4 }), (changes) => {
        const frame = Buffer.from(completeFrame);
        for (const [position, value] of changes) frame[position] = value;
        readOrRefuse(frame);
      }),
    );
  });
});
