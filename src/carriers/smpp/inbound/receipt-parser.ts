import type { ReceiptStatus } from '../../carrier.js';
import { decodeUcs2, encodingFor } from '../../sms/decoding.js';
import type { IncomingMessage } from '../wire/deliver-sm.js';
import { ESM_CLASS } from '../wire/field-values.js';
import { numberOf, TAG, textOf } from '../wire/tlvs.js';

/** What a receipt says. */
export interface SmscReceipt {
  /** The id of its message as the SMSC writes it in receipted_message_id, and in the text; null where it does not. */
  ids: { tlv: string | null; text: string | null };
  /** Null while nothing is final, and for a state that is not known. */
  status: ReceiptStatus | null;
  /** The state by the SMSC's own word, e.g. `DELIVRD`; null where it names none. */
  state: string | null;
  /** Whether the state is one of those that are understood. */
  isKnown: boolean;
  /** Digits of the done date as they came; null without one. */
  doneDate: string | null;
  /** `err` of the text or network_error_code; null where there is none or it says that nothing is wrong. */
  errorCode: string | null;
}

/** message_state (§5.2.28, SKIPPED of SMPP 5.0) by the words that the text of a receipt has for it (Appendix B). */
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
 * What each state means; null: more is to come. ACCEPTD is on its way for most SMSCs although the standard counts it
 * among the final states.
 */
const STATUS_OF: ReadonlyMap<string, ReceiptStatus | null> = new Map([
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

/**
 * Words of a carrier's own that say why a message was not delivered, such as `DND_REJECTED` for a number in a do-not-disturb
 * register. They are kept as the error code.
 */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/DND|NDNC|DNC|DLT|BLACK_?L|BLOCK|BARRED|SPAM|FILTER|OPT_?OUT|UNSUB|FORBID|PROHIBIT|NOT_?ALLOWED/, 'REJECTD'],
  [/ABSENT|UNREACH|SWITCHED_?OFF|NO_?ROUTE|INVALID|UNALLOC|MEM(ORY)?_?(CAP|EXCEED|FULL)/, 'UNDELIV'],
];

/** States that SMSCs write in full, abbreviate, or invent. The first match counts. */
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

/** The fields of Appendix B, in the spellings that are in use: `submit date:`, `submitdate:`, `done_date:`, `Stat:` … */
const FIELD = /(?<![^\s\p{Cc},;])(id|sub|dlvrd|submit[ _]?date|done[ _]?date|stat|err|text)\s*:\s*/giu;
/** What precedes the first field in some receipts: NULs, a byte order mark, a length. */
const LEADING = /^[^A-Za-z0-9]+/;

/**
 * Whether an incoming message is a receipt. `perhaps`: only its text says so, which a telephone can write as well as an SMSC that
 * leaves esm_class empty.
 */
export function isReceipt(message: IncomingMessage): boolean | 'perhaps' {
  const type = message.esmClass & ESM_CLASS.typeMask;
  if (type === ESM_CLASS.deliveryReceipt || type === ESM_CLASS.intermediateNotification) return true;
  // Only an SMSC can set these, while a telephone can write any text.
  const [hasId, hasState] = [message.tlvs.has(TAG.receiptedMessageId), message.tlvs.has(TAG.messageState)];
  if (hasId && hasState) return true;
  if (type !== 0) return false;
  const fields = fieldsOf(message);
  return (hasId || fields.has('id')) && (hasState || fields.has('stat')) ? 'perhaps' : false;
}

/**
 * What a receipt says, by its TLVs where it has them (receipted_message_id 0x001E, message_state 0x0427,
 * network_error_code 0x0423) and by its text for the rest.
 */
export function parseReceipt(message: IncomingMessage): SmscReceipt {
  const fields = fieldsOf(message);
  const idOctets = message.tlvs.get(TAG.receiptedMessageId);
  const word = fields.get('stat');
  const state = stateOf(message.tlvs.get(TAG.messageState), word);
  const status = (state !== null && STATUS_OF.get(state)) || null;
  // A notification on the way tells of one attempt of many, unless that was the last because it succeeded.
  const isFinal =
    (message.esmClass & ESM_CLASS.typeMask) !== ESM_CLASS.intermediateNotification || status === 'delivered';
  return {
    ids: { tlv: (idOctets && textOf(idOctets).trim()) || null, text: fields.get('id') ?? null },
    status: isFinal ? status : null,
    state,
    isKnown: state !== null && STATUS_OF.has(state),
    doneDate: fields.get('donedate')?.match(/^\d{10,14}/)?.[0] ?? null,
    errorCode:
      errorOf(fields.get('err')) ?? networkErrorOf(message.tlvs.get(TAG.networkErrorCode)) ?? reasonIn(word, status),
  };
}

/**
 * The state by the TLV message_state, or by the text where the TLV says nothing: SMPP 3.4 has no state 0 (§5.2.28), and some SMSCs
 * send it with every receipt. SMPP 5.0 calls it SCHEDULED, which is what it means without a text.
 */
function stateOf(octets: Buffer | undefined, word: string | undefined): string | null {
  const number = numberOf(octets);
  const ofTlv = number === null ? undefined : STATES[number];
  if (ofTlv !== undefined && number !== 0) return ofTlv;
  return (word && canonical(word)) || ofTlv || (number?.toString() ?? null);
}

/**
 * The fields of a text in whichever encoding it has some. Many SMSCs repeat the data_coding of the message that the
 * receipt is about, whatever the receipt itself is written in: so it only says what is tried first.
 */
function fieldsOf({ octets, dataCoding, esmClass }: IncomingMessage): Map<string, string> {
  const text = esmClass & ESM_CLASS.udhIndicator ? octets.subarray((octets[0] ?? 0) + 1) : octets;
  const encodings =
    encodingFor(dataCoding, 'gsm7') === 'ucs2' ? [decodeUcs2, decodeLatin1] : [decodeLatin1, decodeUcs2];
  for (const decode of encodings) {
    const fields = readFields(decode(text));
    if (fields.size > 0) return fields;
  }
  return new Map();
}

const decodeLatin1 = (octets: Buffer) => octets.toString('latin1');

/** Everything up to `text:`, behind which a sender's own words could look like fields. */
function readFields(given: string): Map<string, string> {
  const fields = new Map<string, string>();
  const text = given.replace(LEADING, '');
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

/** The state that a word stands for; some SMSCs write the number of message_state. */
function canonical(word: string): string {
  const upper = word.toUpperCase().replaceAll('-', '_');
  if (/^0?\d$/.test(word)) return STATES[Number(word)] as string;
  if (STATES.includes(upper)) return upper;
  return [...REASONS, ...SYNONYMS].find(([pattern]) => pattern.test(upper))?.[1] ?? upper;
}

function reasonIn(word: string | undefined, status: ReceiptStatus | null): string | null {
  if (word === undefined || status === null || status === 'delivered') return null;
  return REASONS.some(([pattern]) => pattern.test(word.toUpperCase())) ? word : null;
}

function errorOf(err: string | undefined): string | null {
  return err && !/^(0x)?0*$/i.test(err) ? err : null;
}

/** One octet tells the kind of network, two its code (§5.3.2.31). */
function networkErrorOf(octets: Buffer | undefined): string | null {
  if (!octets || octets.length < 3) return null;
  const code = octets.readUInt16BE(1);
  return code === 0 ? null : String(code);
}
