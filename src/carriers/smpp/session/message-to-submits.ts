import type { OutboundMessage } from '../../carrier.js';
import { CarrierError } from '../../carrier-error.js';
import { concatenationReference, encodeParts } from '../../sms/segments.js';
import type { SmppSettings } from '../settings.js';
import { DATA_CODING, ESM_CLASS, REGISTERED_DELIVERY } from '../wire/field-values.js';
import type { SubmitSm } from '../wire/submit-sm.js';
import { doubleOctetValue, octetValue, TAG, type Tlvs } from '../wire/tlvs.js';
import { sourceAddress } from './source-address.js';

/** data_coding of each encoding of ours. */
const CODING = { gsm7: DATA_CODING.default, ucs2: DATA_CODING.ucs2 } as const;
/** source_addr holds 20 characters (§4.4.1). */
const MAX_SOURCE_LENGTH = 20;

const NO_TLVS: Tlvs = new Map();

/**
 * The submits that make up a message, in the order of its parts: one alone where it has one part, or where all of it
 * goes out as message_payload, unless parts of it were taken before. Their validity is added when they leave.
 * @throws {CarrierError} INVALID_SENDER when source_addr cannot hold the sender
 */
export function messageToSubmits(message: OutboundMessage, settings: SmppSettings): Omit<SubmitSm, 'validityPeriod'>[] {
  const { segmentation } = message;
  if (!segmentation) throw CarrierError.refused('UNSUPPORTED', 'An SMSC takes only SMS.');
  const source = sourceAddress(message.from, settings);
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
    dataCoding: CODING[segmentation.encoding],
    tlvs: NO_TLVS,
  };
  const reference = concatenationReference(message.id);
  const parts = encodeParts(segmentation, reference);
  if (parts.length === 1) return parts.map(({ userData }) => ({ ...common, shortMessage: userData }));
  // Parts of it went out before the setting was changed: the whole would repeat them, and count as the first of them.
  const isHalfSent = message.acceptedParts.length > 0;
  switch (isHalfSent && settings.multipart === 'payload' ? 'udh' : settings.multipart) {
    case 'payload': {
      const payload = Buffer.concat(parts.map(({ userData }) => userData));
      return [{ ...common, shortMessage: Buffer.alloc(0), tlvs: new Map([[TAG.messagePayload, payload]]) }];
    }
    case 'sar':
      return parts.map(({ userData }, index) => ({
        ...common,
        shortMessage: userData,
        // §5.3.2.22 to §5.3.2.24.
        tlvs: new Map([
          [TAG.sarReference, doubleOctetValue(reference)],
          [TAG.sarTotal, octetValue(parts.length)],
          [TAG.sarSequence, octetValue(index + 1)],
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
 * How long the SMSC may try, as SMPP writes it (§7.1.1): `relative` as a span of days and hours, which no clock can
 * spoil, or `absolute` in UTC; `none` leaves it to the SMSC.
 */
export function validityPeriod(validUntil: Date, now: Date, form: SmppSettings['validityPeriod']): string {
  if (form === 'none') return '';
  if (form === 'absolute') return `${validUntil.toISOString().slice(2, 19).replace(/\D/g, '')}000+`;
  let seconds = Math.max(1, Math.round((validUntil.getTime() - now.getTime()) / 1000));
  const digits = [365 * 86_400, 30 * 86_400, 86_400, 3_600, 60, 1].map((unit) => {
    const count = Math.min(99, Math.floor(seconds / unit));
    seconds -= count * unit;
    return String(count).padStart(2, '0');
  });
  return `${digits.join('')}000R`;
}
