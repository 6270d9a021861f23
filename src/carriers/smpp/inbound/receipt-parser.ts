import type { ReceiptStatus } from '../../carrier.js';
import { decodeUcs2, findEncoding } from '../../sms/decoding.js';
import type { IncomingMessage } from '../wire/deliver-sm.js';
import { ESM_CLASS } from '../wire/field-values.js';
import { readCString, readUnsigned, TAG } from '../wire/tlvs.js';

export interface SmscReceipt {
  ids: { tlv: string | null; text: string | null };
  /** Null: not final. */
  status: ReceiptStatus | null;
  /** The SMSC's state, as a word of Appendix B if the state is recognized. */
  state: string | null;
  isKnown: boolean;
  /** Digits only, not parsed. */
  doneDate: string | null;
  /** Error code from `err` in the text, or from network_error_code. */
  errorCode: string | null;
}

/** State names by message_state (SMPP 3.4 §5.2.28; SKIPPED is from SMPP 5.0). */
const STATES = [
  'SCHEDULED',
  'ENROUTE',
  'DELIVRD',
  'EXPIRED',
  'DELETED',
  'UNDELIV',
  'ACCEPTD',
  'UNKNOWN',
  'REJECTD',
  'SKIPPED',
];

/**
 * States that are not final are mapped to null. ACCEPTD is intermediate for most SMSCs, although the standard counts it as
 * final.
 */
const STATUS_BY_STATE: ReadonlyMap<string, ReceiptStatus | null> = new Map([
  ['SCHEDULED', null],
  ['ENROUTE', null],
  ['ACCEPTD', null],
  ['DELIVRD', 'delivered'],
  ['EXPIRED', 'expired'],
  ['DELETED', 'undelivered'],
  ['UNDELIV', 'undelivered'],
  ['SKIPPED', 'undelivered'],
  ['UNKNOWN', 'failed'],
  ['REJECTD', 'rejected'],
]);

/** Vendor-specific states, e.g. for numbers in a do-not-disturb register. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/DND|NDNC|DNC|DLT|BLACK_?L|BLOCK|BARRED|SPAM|FILTER|OPT_?OUT|UNSUB|FORBID|PROHIBIT|NOT_?ALLOWED/, 'REJECTD'],
  [/ABSENT|UNREACH|SWITCHED_?OFF|NO_?ROUTE|INVALID|UNALLOC|MEM(ORY)?_?(CAP|EXCEED|FULL)/, 'UNDELIV'],
];

/** The first match counts. */
const SYNONYMS: readonly (readonly [RegExp, string])[] = [
  [/^(UNDEL|NOT_?DELIV|NON_?DELIV)|FAIL/, 'UNDELIV'],
  [/^(DELIV|DELIVD|DELIVE?RE?D|DLVRD|DELIVERED_.*|SUCCESS(FUL)?)$/, 'DELIVRD'],
  [/^(EXPIR|EXPRD|TIME_?OUT)/, 'EXPIRED'],
  [/^(DELET|CANCEL)/, 'DELETED'],
  [/^(REJ|REFUSED)|REJECT/, 'REJECTD'],
  [/^ACCEP/, 'ACCEPTD'],
  [/^(EN_?ROUTED?|BUFFE?RED|BUFFRED|SCHEDULED|QUEUED|PENDING|SENT|SUBMIT(TE)?D|RETRY(ING)?|INTERMEDIATE)$/, 'ENROUTE'],
  [/^SKIP/, 'SKIPPED'],
  [/^UNKN/, 'UNKNOWN'],
];

/** Matches the field names of Appendix B in the spellings that SMSCs use. */
const FIELD = /(?<![^\s\p{Cc},;])(id|sub|dlvrd|submit[ _]?date|done[ _]?date|stat|err|text)\s*:\s*/giu;
/** Matches characters such as NULs or a byte order mark. */
const LEADING_GARBAGE = /^[^A-Za-z0-9]+/;

/**
 * Returns `perhaps` if only the text looks like a receipt. Some SMSCs leave esm_class empty, but a phone can send such
 * a text too.
 */
export function isReceipt(message: IncomingMessage): boolean | 'perhaps' {
  const type = message.esmClass & ESM_CLASS.typeMask;
  if (type === ESM_CLASS.deliveryReceipt || type === ESM_CLASS.intermediateNotification) return true;
  // Only the SMSC, and not a phone, can set both TLVs.
  const [hasId, hasState] = [message.tlvs.has(TAG.receiptedMessageId), message.tlvs.has(TAG.messageState)];
  if (hasId && hasState) return true;
  if (type !== 0) return false;
  const fields = readTextFields(message);
  return (hasId || fields.has('id')) && (hasState || fields.has('stat')) ? 'perhaps' : false;
}

/** TLVs take precedence over the text (receipted_message_id 0x001E, message_state 0x0427, network_error_code 0x0423). */
export function parseReceipt(message: IncomingMessage): SmscReceipt {
  const fields = readTextFields(message);
  const idOctets = message.tlvs.get(TAG.receiptedMessageId);
  const stateWord = fields.get('stat');
  const state = readState(message.tlvs.get(TAG.messageState), stateWord);
  const status = (state !== null && STATUS_BY_STATE.get(state)) || null;
  // An intermediate notification reports one of several delivery attempts.
  const isFinal =
    (message.esmClass & ESM_CLASS.typeMask) !== ESM_CLASS.intermediateNotification || status === 'delivered';
  return {
    ids: { tlv: (idOctets && readCString(idOctets).trim()) || null, text: fields.get('id') ?? null },
    status: isFinal ? status : null,
    state,
    isKnown: state !== null && STATUS_BY_STATE.has(state),
    doneDate: fields.get('donedate')?.match(/^\d{10,14}/)?.[0] ?? null,
    errorCode:
      readErrorCode(fields.get('err')) ??
      readNetworkErrorCode(message.tlvs.get(TAG.networkErrorCode)) ??
      readReason(stateWord, status),
  };
}

/**
 * Some SMSCs send message_state 0, which SMPP 3.4 does not define (§5.2.28), with every receipt. If the text contains
 * no state, 0 means SCHEDULED, as in SMPP 5.0.
 */
function readState(octets: Buffer | undefined, stateWord: string | undefined): string | null {
  const number = readUnsigned(octets);
  const fromTlv = number === null ? undefined : STATES[number];
  if (fromTlv !== undefined && number !== 0) return fromTlv;
  return (stateWord && normalizeState(stateWord)) || fromTlv || (number?.toString() ?? null);
}

/**
 * Many SMSCs copy the data_coding of the original message into receipts, so data_coding only decides which encoding is
 * tried first.
 */
function readTextFields({ octets, dataCoding, esmClass }: IncomingMessage): Map<string, string> {
  const text = esmClass & ESM_CLASS.udhIndicator ? octets.subarray((octets[0] ?? 0) + 1) : octets;
  const encodings =
    findEncoding(dataCoding, 'gsm7') === 'ucs2' ? [decodeUcs2, decodeLatin1] : [decodeLatin1, decodeUcs2];
  for (const decode of encodings) {
    const fields = readFields(decode(text));
    if (fields.size > 0) return fields;
  }
  return new Map();
}

const decodeLatin1 = (octets: Buffer) => octets.toString('latin1');

/** Fields after `text:` are ignored, because `text:` quotes the message, whose content could look like fields. */
function readFields(receiptText: string): Map<string, string> {
  const fields = new Map<string, string>();
  const text = receiptText.replace(LEADING_GARBAGE, '');
  const matches = [...text.matchAll(FIELD)];
  for (const [index, match] of matches.entries()) {
    const name = (match[1] as string).toLowerCase().replace(/[ _]/, '');
    if (name === 'text') break;
    const start = match.index + match[0].length;
    const value = text
      .slice(start, matches[index + 1]?.index)
      .replaceAll('\0', '')
      .trim()
      .split(/[\s,;]/)[0] as string;
    if (value && !fields.has(name)) fields.set(name, value);
  }
  return fields;
}

/** Some SMSCs write the number of message_state instead of a word. */
function normalizeState(stateWord: string): string {
  const upperWord = stateWord.toUpperCase().replaceAll('-', '_');
  if (/^0?\d$/.test(stateWord)) return STATES[Number(stateWord)] as string;
  if (STATES.includes(upperWord)) return upperWord;
  return [...REASONS, ...SYNONYMS].find(([pattern]) => pattern.test(upperWord))?.[1] ?? upperWord;
}

function readReason(stateWord: string | undefined, status: ReceiptStatus | null): string | null {
  if (stateWord === undefined || status === null || status === 'delivered') return null;
  return REASONS.some(([pattern]) => pattern.test(stateWord.toUpperCase())) ? stateWord : null;
}

function readErrorCode(err: string | undefined): string | null {
  return err && !/^(0x)?0*$/i.test(err) ? err : null;
}

/** The first octet is the network type (SMPP 3.4 §5.3.2.31). */
function readNetworkErrorCode(octets: Buffer | undefined): string | null {
  if (!octets || octets.length < 3) return null;
  const code = octets.readUInt16BE(1);
  return code === 0 ? null : String(code);
}
