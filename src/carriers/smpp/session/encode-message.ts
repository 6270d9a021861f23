import { concatenationReference, encodeParts } from '../../../platform/text/segments.js';
import type { OutboundMessage } from '../../carrier.js';
import { CarrierError } from '../../carrier-error.js';
import { sourceAddress } from '../addresses.js';
import type { SmppSettings } from '../settings.js';

/** data_coding (SMPP 3.4 §5.2.19): the SMSC's default alphabet, which is that of 3GPP TS 23.038, and UCS-2. */
const DATA_CODING = { gsm7: 0x00, ucs2: 0x08 } as const;
/** esm_class (§5.2.12): the text begins with a user data header. */
const UDH_INDICATOR = 0x40;
/** registered_delivery (§5.2.17). */
const FINAL_RECEIPT = 0x01;
const INTERMEDIATE_RECEIPT = 0x10;
/** source_addr holds 20 characters (§4.4.1). */
const MAX_SOURCE_LENGTH = 20;

/** The fields of one submit_sm, as the package writes it. Texts are Buffers: it must not encode them by itself. */
export interface SubmitFields {
  service_type: string;
  source_addr_ton: number;
  source_addr_npi: number;
  source_addr: string;
  dest_addr_ton: number;
  dest_addr_npi: number;
  destination_addr: string;
  esm_class: number;
  registered_delivery: number;
  validity_period: string;
  data_coding: number;
  short_message: Buffer;
  message_payload?: Buffer;
  sar_msg_ref_num?: number;
  sar_total_segments?: number;
  sar_segment_seqnum?: number;
}

/**
 * The submits that make up a message, in the order of its parts: one alone where it has one part, or where all of it
 * goes out as message_payload.
 * @throws {CarrierError} INVALID_SENDER when source_addr cannot hold the sender
 */
export function encodeMessage(message: OutboundMessage, settings: SmppSettings, now: Date): SubmitFields[] {
  const { segmentation } = message;
  if (!segmentation) throw CarrierError.refused('UNSUPPORTED', 'An SMSC takes only SMS.');
  const source = sourceAddress(message.from, settings);
  if (source.address.length > MAX_SOURCE_LENGTH || !/^[\x20-\x7e]*$/.test(source.address)) {
    const text = `The sender cannot be sent over SMPP: it must be at most ${MAX_SOURCE_LENGTH} ASCII characters.`;
    throw CarrierError.refused('INVALID_SENDER', text);
  }
  const common = {
    service_type: settings.serviceType,
    source_addr_ton: source.ton,
    source_addr_npi: source.npi,
    source_addr: source.address,
    dest_addr_ton: settings.destinationTon,
    dest_addr_npi: settings.destinationNpi,
    destination_addr: message.to,
    esm_class: 0,
    registered_delivery: FINAL_RECEIPT | (settings.intermediateReceipts ? INTERMEDIATE_RECEIPT : 0),
    validity_period: validityPeriod(message.validUntil, now, settings.validityPeriod),
    data_coding: DATA_CODING[segmentation.encoding],
  };
  const reference = concatenationReference(message.id);
  const parts = encodeParts(segmentation, reference);
  if (parts.length === 1) return parts.map(({ userData }) => ({ ...common, short_message: userData }));
  switch (settings.multipart) {
    case 'payload': {
      const payload = Buffer.concat(parts.map(({ userData }) => userData));
      return [{ ...common, short_message: Buffer.alloc(0), message_payload: payload }];
    }
    case 'sar':
      return parts.map(({ userData }, index) => ({
        ...common,
        short_message: userData,
        sar_msg_ref_num: reference,
        sar_total_segments: parts.length,
        sar_segment_seqnum: index + 1,
      }));
    case 'udh':
      return parts.map(({ udh, userData }) => ({
        ...common,
        esm_class: UDH_INDICATOR,
        short_message: Buffer.concat([udh as Buffer, userData]),
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
