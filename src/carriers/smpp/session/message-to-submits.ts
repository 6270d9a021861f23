import type { OutboundMessage } from '../../carrier.js';
import { CarrierError } from '../../carrier-error.js';
import { deriveConcatenationReference, encodeParts } from '../../sms/segments.js';
import type { SmppSettings } from '../settings.js';
import { DATA_CODING, ESM_CLASS, REGISTERED_DELIVERY } from '../wire/field-values.js';
import type { SubmitSm } from '../wire/submit-sm.js';
import { encodeOctet, encodeUint16, TAG, type Tlvs } from '../wire/tlvs.js';
import { buildSourceAddress } from './source-address.js';

const DATA_CODING_BY_ENCODING = { gsm7: DATA_CODING.default, ucs2: DATA_CODING.ucs2 } as const;
/** SMPP 3.4 §4.4.1. */
const MAX_SOURCE_LENGTH = 20;

const NO_TLVS: Tlvs = new Map();

/**
 * With `multipart: payload`, a single submit contains the whole text in message_payload, unless some parts were accepted
 * before.
 * @throws {CarrierError} INVALID_SENDER
 */
export function buildSubmits(message: OutboundMessage, settings: SmppSettings): Omit<SubmitSm, 'validityPeriod'>[] {
  const { segmentation } = message;
  if (!segmentation) throw CarrierError.refused('UNSUPPORTED', 'An SMPP carrier can only send SMS.');
  const source = buildSourceAddress(message.from, settings);
  if (source.address.length > MAX_SOURCE_LENGTH || !/^[\x20-\x7e]*$/.test(source.address)) {
    const text = `The sender cannot be sent over SMPP: it must be at most ${MAX_SOURCE_LENGTH} ASCII characters.`;
    throw CarrierError.refused('INVALID_SENDER', text);
  }
  const { finalReceipt, intermediateReceipts } = REGISTERED_DELIVERY;
  const common = {
    serviceType: settings.serviceType,
    source,
    destination: { ton: settings.destinationTon, npi: settings.destinationNpi, address: message.to },
    esmClass: 0,
    registeredDelivery: finalReceipt | (settings.intermediateReceipts ? intermediateReceipts : 0),
    dataCoding: DATA_CODING_BY_ENCODING[segmentation.encoding],
    tlvs: NO_TLVS,
  };
  const reference = deriveConcatenationReference(message.id);
  const parts = encodeParts(segmentation, reference);
  if (parts.length === 1) return parts.map(({ userData }) => ({ ...common, shortMessage: userData }));
  // If some parts were sent before the setting was changed, sending the whole text would repeat these parts.
  const isPartlyAccepted = message.acceptedParts.length > 0;
  switch (isPartlyAccepted && settings.multipart === 'payload' ? 'udh' : settings.multipart) {
    case 'payload': {
      const payload = Buffer.concat(parts.map(({ userData }) => userData));
      return [{ ...common, shortMessage: Buffer.alloc(0), tlvs: new Map([[TAG.messagePayload, payload]]) }];
    }
    case 'sar':
      return parts.map(({ userData }, index) => ({
        ...common,
        shortMessage: userData,
        // SMPP 3.4 §5.3.2.22 to §5.3.2.24.
        tlvs: new Map([
          [TAG.sarReference, encodeUint16(reference)],
          [TAG.sarTotal, encodeOctet(parts.length)],
          [TAG.sarSequence, encodeOctet(index + 1)],
        ]),
      }));
    case 'udh':
      return parts.map(({ udh, userData }) => ({
        ...common,
        esmClass: ESM_CLASS.udhIndicator,
        shortMessage: Buffer.concat([udh as Buffer, userData]),
      }));
  }
}

/**
 * Formats the validity period (SMPP 3.4 §7.1.1). A `relative` period does not depend on the SMSC's clock, and an `absolute`
 * time is in UTC.
 */
export function formatValidityPeriod(validUntil: Date, now: Date, format: SmppSettings['validityPeriod']): string {
  if (format === 'none') return '';
  if (format === 'absolute') return `${validUntil.toISOString().slice(2, 19).replace(/\D/g, '')}000+`;
  let seconds = Math.max(1, Math.round((validUntil.getTime() - now.getTime()) / 1000));
  const digits = [365 * 86_400, 30 * 86_400, 86_400, 3_600, 60, 1].map((unit) => {
    const count = Math.min(99, Math.floor(seconds / unit));
    seconds -= count * unit;
    return String(count).padStart(2, '0');
  });
  return `${digits.join('')}000R`;
}
