import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readMessage } from '../../../../src/carriers/smpp/wire/deliver-sm.js';
import { buildRequest, COMMAND, type Pdu, readPdu, writePdu } from '../../../../src/carriers/smpp/wire/pdu.js';
import { readMessageId, type SubmitSm, writeSubmit } from '../../../../src/carriers/smpp/wire/submit-sm.js';
import { encodeOctet, encodeUint16, TAG } from '../../../../src/carriers/smpp/wire/tlvs.js';
import { cString, encodeWithPeer, octet, octets } from './peer.js';

const address = fc.record({ ton: octet, npi: octet, address: cString(20) });
const submits: fc.Arbitrary<SubmitSm> = fc.record({
  serviceType: cString(5),
  source: address,
  destination: address,
  esmClass: octet,
  validityPeriod: fc.constantFrom('', '000002000000000R', '270116131415000+'),
  registeredDelivery: octet,
  dataCoding: octet,
  shortMessage: octets(254),
  tlvs: fc.constant(new Map()),
});

function toPeerFields(fields: SubmitSm): object {
  return {
    service_type: fields.serviceType,
    source_addr_ton: fields.source.ton,
    source_addr_npi: fields.source.npi,
    source_addr: fields.source.address,
    dest_addr_ton: fields.destination.ton,
    dest_addr_npi: fields.destination.npi,
    destination_addr: fields.destination.address,
    esm_class: fields.esmClass,
    validity_period: fields.validityPeriod,
    registered_delivery: fields.registeredDelivery,
    data_coding: fields.dataCoding,
    short_message: fields.shortMessage,
  };
}

const writeFrame = (fields: SubmitSm) => writePdu(buildRequest('submit_sm', 7, writeSubmit(fields)));

describe('writeSubmit', () => {
  it('the submit_sm encoder encodes a submit_sm like an independent implementation', () => {
    fc.assert(
      fc.property(submits, (fields) => {
        expect(writeFrame(fields)).toEqual(encodeWithPeer('submit_sm', toPeerFields(fields)));
      }),
    );
  });

  it('the submit_sm encoder encodes TLVs like an independent implementation', () => {
    fc.assert(
      fc.property(submits, fc.integer({ min: 0, max: 0xffff }), octet, octet, (fields, reference, total, part) => {
        const tlvs = new Map([
          [TAG.sarReference, encodeUint16(reference)],
          [TAG.sarTotal, encodeOctet(total)],
          [TAG.sarSequence, encodeOctet(part)],
        ]);
        const sar = { sar_msg_ref_num: reference, sar_total_segments: total, sar_segment_seqnum: part };
        expect(writeFrame({ ...fields, tlvs })).toEqual(
          encodeWithPeer('submit_sm', { ...toPeerFields(fields), ...sar }),
        );
      }),
    );
    fc.assert(
      fc.property(submits, octets(2_000), (fields, payload) => {
        const tlvs = new Map([[TAG.messagePayload, payload]]);
        const expected = encodeWithPeer('submit_sm', { ...toPeerFields(fields), message_payload: payload });
        expect(writeFrame({ ...fields, tlvs })).toEqual(expected);
      }),
    );
  });

  // A deliver_sm has the same fields as a submit_sm (SMPP 3.4 §4.6.1).
  it('an encoded submit_sm is restored by the deliver_sm parser', () => {
    const tlvs = fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 0xffff }), octets(300)), {
      selector: ([tag]) => tag,
      maxLength: 5,
    });
    fc.assert(
      fc.property(submits, tlvs, (fields, entries) => {
        const body = writeSubmit({ ...fields, tlvs: new Map(entries) });
        const message = readMessage({ commandId: COMMAND.deliver_sm, body } as Pdu);
        expect(message).toMatchObject({
          sourceTon: fields.source.ton,
          source: fields.source.address,
          destinationTon: fields.destination.ton,
          destination: fields.destination.address,
          esmClass: fields.esmClass,
          dataCoding: fields.dataCoding,
        });
        expect([...message.tlvs]).toEqual(entries);
        if (fields.shortMessage.length > 0) expect(message.octets).toEqual(fields.shortMessage);
      }),
    );
  });

  const plainFields: SubmitSm = {
    serviceType: '',
    source: { ton: 0, npi: 0, address: '' },
    destination: { ton: 0, npi: 0, address: '' },
    esmClass: 0,
    validityPeriod: '',
    registeredDelivery: 0,
    dataCoding: 0,
    shortMessage: Buffer.alloc(0),
    tlvs: new Map(),
  };

  it.each<[string, Partial<SubmitSm>]>([
    ['a NUL in a string', { serviceType: 'a\0b' }],
    ['a string that is not ASCII', { source: { ton: 5, npi: 0, address: 'Größe' } }],
    ['a number above 255', { esmClass: 256 }],
    ['a short_message of 255 octets', { shortMessage: Buffer.alloc(255) }],
    ['a TLV of 64 KiB', { tlvs: new Map([[TAG.messagePayload, Buffer.alloc(0x10000)]]) }],
  ])('the submit_sm encoder rejects %s', (_, fields) => {
    expect(() => writeSubmit({ ...plainFields, ...fields })).toThrow(RangeError);
  });

  it('the submit_sm encoder accepts the longest possible TLV', () => {
    const payload = Buffer.alloc(0xffff, 1);
    const body = writeSubmit({ ...plainFields, tlvs: new Map([[TAG.messagePayload, payload]]) });
    expect(readMessage({ commandId: COMMAND.deliver_sm, body } as Pdu).octets).toEqual(payload);
  });
});

describe('readMessageId', () => {
  it('the message_id of a submit_sm_resp is returned, or an empty string without one', () => {
    fc.assert(
      fc.property(cString(64), (id) => {
        expect(readMessageId(readPdu(encodeWithPeer('submit_sm_resp', { message_id: id })))).toBe(id);
      }),
    );
    expect(readMessageId(readPdu(encodeWithPeer('submit_sm_resp', { command_status: 0x58 })))).toBe('');
    expect(readMessageId({ body: Buffer.from('no NUL') } as Pdu)).toBe('no NUL');
  });
});
