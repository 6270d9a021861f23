import fc from 'fast-check';
import smpp from 'smpp';
import { describe, expect, it } from 'vitest';
import { getStatusName, STATUS } from '../../../../src/carriers/smpp/wire/command-status.js';
import {
  buildGenericNack,
  buildRequest,
  buildResponse,
  COMMAND,
  GENERIC_NACK,
  hasResponse,
  isResponse,
  type RequestName,
  readPdu,
  writePdu,
} from '../../../../src/carriers/smpp/wire/pdu.js';
import { encodeWithPeer, octets } from './peer.js';

const uint32 = fc.integer({ min: 0, max: 0xffffffff });

describe('readPdu and writePdu', () => {
  it('the PDU parser and encoder round-trip any PDU, readable by an independent implementation', () => {
    const pdus = fc.record({ commandId: uint32, status: uint32, sequence: uint32, body: octets(300) });
    fc.assert(
      fc.property(pdus, (pdu) => {
        const frame = writePdu(pdu);
        expect(readPdu(frame)).toEqual(pdu);
        expect(frame.readUInt32BE()).toBe(frame.length);
      }),
    );
    const { command, command_status, sequence_number } = new smpp.PDU(writePdu(buildRequest('enquire_link', 7)));
    expect({ command, command_status, sequence_number }).toEqual({
      command: 'enquire_link',
      command_status: 0,
      sequence_number: 7,
    });
  });

  it.each(['enquire_link', 'unbind'] as const)('the PDU parser and encoder write %s without a body', (name) => {
    expect(writePdu(buildRequest(name, 7))).toEqual(encodeWithPeer(name));
  });

  it.each(Object.keys(COMMAND) as RequestName[])(
    'the PDU parser and encoder use the standard command_id of %s, which is not a response',
    (name) => {
      const pdu = readPdu(encodeWithPeer(name));
      expect(pdu.commandId).toBe(COMMAND[name]);
      expect(isResponse(pdu)).toBe(false);
      expect(hasResponse(pdu)).toBe(name !== 'outbind' && name !== 'alert_notification');
    },
  );
});

describe('responses', () => {
  it.each(['deliver_sm', 'data_sm', 'enquire_link', 'unbind'] as const)(
    'the response PDU to %s equals that of an independent implementation',
    (name) => {
      const request = readPdu(encodeWithPeer(name));
      for (const status of [STATUS.ESME_ROK, STATUS.ESME_RX_T_APPN]) {
        const response = buildResponse(request, status);
        expect(writePdu(response)).toEqual(encodeWithPeer(`${name}_resp`, { command_status: status }));
        expect(isResponse(response)).toBe(true);
      }
    },
  );

  it('the response PDU to an unknown request is a generic_nack', () => {
    const nack = buildGenericNack(readPdu(encodeWithPeer('query_sm')), STATUS.ESME_RINVCMDID);
    expect(nack.commandId).toBe(GENERIC_NACK);
    expect(writePdu(nack)).toEqual(encodeWithPeer('generic_nack', { command_status: 3 }));
  });
});

describe('command_status', () => {
  it('command_status has the same names as in an independent implementation', () => {
    expect(STATUS).toEqual(smpp.errors);
    expect(getStatusName(0x58)).toBe('ESME_RTHROTTLED');
    expect(getStatusName(0x411)).toBe('0x00000411');
  });
});
