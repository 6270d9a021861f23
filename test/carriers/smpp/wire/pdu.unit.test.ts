import fc from 'fast-check';
import smpp from 'smpp';
import { describe, expect, it } from 'vitest';
import { STATUS, statusName } from '../../../../src/carriers/smpp/wire/command-status.js';
import {
  COMMAND,
  GENERIC_NACK,
  genericNack,
  hasResponse,
  isResponse,
  type RequestName,
  readPdu,
  requestPdu,
  responseTo,
  writePdu,
} from '../../../../src/carriers/smpp/wire/pdu.js';
import { octets, peerPdu } from './peer.js';

const uint32 = fc.integer({ min: 0, max: 0xffffffff });

describe('readPdu and writePdu', () => {
  it('readPdu and writePdu round-trip any PDU, readable by an independent implementation', () => {
    const pdus = fc.record({ commandId: uint32, status: uint32, sequence: uint32, body: octets(300) });
    fc.assert(
      fc.property(pdus, (pdu) => {
        const frame = writePdu(pdu);
        expect(readPdu(frame)).toEqual(pdu);
        expect(frame.readUInt32BE()).toBe(frame.length);
      }),
    );
    const { command, command_status, sequence_number } = new smpp.PDU(writePdu(requestPdu('enquire_link', 7)));
    expect({ command, command_status, sequence_number }).toEqual({
      command: 'enquire_link',
      command_status: 0,
      sequence_number: 7,
    });
  });

  it.each(['enquire_link', 'unbind'] as const)('readPdu and writePdu write %s without a body', (name) => {
    expect(writePdu(requestPdu(name, 7))).toEqual(peerPdu(name));
  });

  it.each(Object.keys(COMMAND) as RequestName[])(
    'readPdu and writePdu use the standard command_id of %s, which is not a response',
    (name) => {
      const pdu = readPdu(peerPdu(name));
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
      const request = readPdu(peerPdu(name));
      for (const status of [STATUS.ESME_ROK, STATUS.ESME_RX_T_APPN]) {
        const response = responseTo(request, status);
        expect(writePdu(response)).toEqual(peerPdu(`${name}_resp`, { command_status: status }));
        expect(isResponse(response)).toBe(true);
      }
    },
  );

  it('the response PDU to an unknown request is a generic_nack', () => {
    const nack = genericNack(readPdu(peerPdu('query_sm')), STATUS.ESME_RINVCMDID);
    expect(nack.commandId).toBe(GENERIC_NACK);
    expect(writePdu(nack)).toEqual(peerPdu('generic_nack', { command_status: 3 }));
  });
});

describe('command_status', () => {
  it('command_status has the same names as in an independent implementation', () => {
    expect(STATUS).toEqual(smpp.errors);
    expect(statusName(0x58)).toBe('ESME_RTHROTTLED');
    expect(statusName(0x411)).toBe('0x00000411');
  });
});
