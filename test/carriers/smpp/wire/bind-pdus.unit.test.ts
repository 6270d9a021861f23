import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BindFields, readBindResponse, writeBind } from '../../../../src/carriers/smpp/wire/bind-pdus.js';
import { buildRequest, type Pdu, readPdu, writePdu } from '../../../../src/carriers/smpp/wire/pdu.js';
import { cString, encodeWithPeer, octet, octets } from './peer.js';

const ROLES = ['receiver', 'transmitter', 'transceiver'] as const;

describe('writeBind', () => {
  it.each(ROLES)('the bind encoder encodes bind_%s like an independent implementation', (role) => {
    const binds: fc.Arbitrary<BindFields> = fc.record({
      systemId: cString(15),
      password: cString(64),
      systemType: cString(12),
      interfaceVersion: octet,
      addressTon: octet,
      addressNpi: octet,
      addressRange: cString(40),
    });
    fc.assert(
      fc.property(binds, (fields) => {
        const expected = encodeWithPeer(`bind_${role}`, {
          system_id: fields.systemId,
          password: fields.password,
          system_type: fields.systemType,
          interface_version: fields.interfaceVersion,
          addr_ton: fields.addressTon,
          addr_npi: fields.addressNpi,
          address_range: fields.addressRange,
        });
        expect(writePdu(buildRequest(`bind_${role}`, 7, writeBind(fields)))).toEqual(expected);
      }),
    );
  });
});

describe('readBindResponse', () => {
  const readResponse = (body: Buffer) => readBindResponse({ body } as Pdu);

  it('the bind response parser reads the system_id and the version', () => {
    const readPeerResponse = (fields: object) =>
      readBindResponse(readPdu(encodeWithPeer('bind_transceiver_resp', fields)));
    expect(readPeerResponse({ system_id: 'smsc', sc_interface_version: 0x34 })).toEqual({
      systemId: 'smsc',
      version: 0x34,
    });
    expect(readPeerResponse({ system_id: 'smsc' })).toEqual({ systemId: 'smsc', version: null });
    expect(readPeerResponse({ command_status: 0x0d })).toEqual({ systemId: '', version: null });
  });

  it('the bind response parser accepts a response that is cut off anywhere', () => {
    const { body } = readPdu(
      encodeWithPeer('bind_transceiver_resp', { system_id: 'smsc', sc_interface_version: 0x34 }),
    );
    for (let length = 0; length < body.length; length++) {
      expect(readResponse(body.subarray(0, length))).toEqual({ systemId: 'smsc'.slice(0, length), version: null });
    }
  });

  it('the bind response parser accepts arbitrary octets', () => {
    fc.assert(fc.property(octets(100), (body) => void readResponse(body)));
  });
});
