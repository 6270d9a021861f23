import type { Concatenation } from '../../inbound-message.js';
import { validateConcatenation } from '../../sms/concatenation.js';
import { decodeText, type EncodedText, findEncoding } from '../../sms/decoding.js';
import { readUserDataHeader } from '../../sms/user-data-header.js';
import type { SmppSettings } from '../settings.js';
import type { IncomingMessage } from '../wire/deliver-sm.js';
import { ESM_CLASS } from '../wire/field-values.js';
import { readUnsigned, TAG } from '../wire/tlvs.js';

export interface InboundText {
  /** The text of a binary message is encoded as base64. */
  text: string;
  isBinary: boolean;
  /** Position among the parts of a message, or null for a single-part message. */
  concatenation: Concatenation | null;
  encoded?: EncodedText;
}

/** The part number comes from the user data header or the SAR TLVs. */
export function readInboundText(message: IncomingMessage, alphabet: SmppSettings['inboundAlphabet']): InboundText {
  const { octets, tlvs } = message;
  const headerOctets = message.esmClass & ESM_CLASS.udhIndicator && octets.length > 0 ? (octets[0] as number) + 1 : 0;
  const header = readUserDataHeader(octets.subarray(1, Math.min(headerOctets, octets.length)));
  const data = octets.subarray(headerOctets);
  const concatenation = validateConcatenation(
    header.concatenation ?? {
      reference: readUnsigned(tlvs.get(TAG.sarReference)) ?? 0,
      total: readUnsigned(tlvs.get(TAG.sarTotal)) ?? 1,
      part: readUnsigned(tlvs.get(TAG.sarSequence)) ?? 1,
    },
  );
  const encoding = findEncoding(message.dataCoding, alphabet, header.shifts);
  if (encoding === 'binary') return { text: data.toString('base64'), isBinary: true, concatenation };
  const encoded = { octets: data, encoding };
  return { text: decodeText(encoded), isBinary: false, concatenation, ...(concatenation && { encoded }) };
}
