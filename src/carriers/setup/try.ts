import { AppError, invalidField } from '../../platform/errors/app-error.js';
import { newId } from '../../platform/ids.js';
import type { OutboundMessage } from '../carrier.js';
import { CarrierError } from '../carrier-error.js';
import type { CarrierType } from '../carrier-type.js';
import type { CallSink } from '../http/client.js';
import { redaction } from '../http/redaction.js';
import { type ToldCall, toldOf } from '../http/told-call.js';
import type { CarrierRow } from '../registry/carrier-store.js';
import { formOf, resolveSettings, SettingsError } from '../settings.js';
import { segment } from '../sms/segments.js';
import { carrierType } from '../types.js';
import type { CheckOptions } from './check.js';

/** Whom a message is sent to, to try a carrier out. It is a real one, which the vendor charges. */
export interface TriedMessage {
  from: string;
  /** Digits with country code, with a plus sign or without. */
  to: string;
  text: string;
}

/** What came of it. */
export interface TryResult {
  /** The carrier took the message. */
  ok: boolean;
  carrierMessageId: string | null;
  error: { code: string; message: string; retryable: boolean } | null;
  calls: ToldCall[];
}

/** How long the whole may take. */
const DEADLINE_MS = 60_000;
const VALID_MS = 3_600_000;
const LONGEST_TEXT = 16_384;

/**
 * Checks what is to be tried.
 * @throws {AppError} INVALID_REQUEST naming the field, or for a type that cannot be tried so
 */
export function requireTriable(
  row: Pick<CarrierRow, 'name' | 'type'>,
  { from, to, text }: TriedMessage,
  types: readonly CarrierType[],
): void {
  if (!/^\+?[1-9]\d{5,14}$/.test(to)) throw invalidField('to', 'must be a number: digits with country code');
  if (!/^[\x20-\x7e]{1,18}$/.test(from)) throw invalidField('from', 'must be 1 to 18 characters');
  if (text === '' || text.length > 1_600) throw invalidField('text', 'must have 1 to 1600 characters');
  const type = carrierType(row.type, types);
  if (type?.logsCalls && type.kinds.includes('sms')) return;
  throw new AppError('INVALID_REQUEST', `${row.name} is of type ${row.type}, which sends no SMS over HTTP: check it`);
}

/**
 * Sends one message by a carrier that is opened for it alone, whether it is switched on or not. No account is charged, and
 * nothing is stored of it; receipts of it are of no message that is known.
 */
export async function tryCarrier(
  row: CarrierRow,
  message: TriedMessage,
  { types, env, log, clock, privateHosts = [] }: CheckOptions,
): Promise<TryResult> {
  const type = carrierType(row.type, types) as CarrierType;
  let settings: ReturnType<typeof resolveSettings>;
  try {
    settings = resolveSettings(type, row.settings, env);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return failed('SETTINGS', error.message, []);
  }
  const secrets = formOf(type, settings).secrets.map((name) => settings[name]);
  const { sink, calls } = collecting(secrets.filter((each) => typeof each === 'string'));
  const carrier = type.open({ name: row.name, settings, log, clock, privateHosts, calls: sink });
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  try {
    const { carrierMessageId } = await carrier.submit(outboundOf(message, clock.now()), deadline);
    return { ok: true, carrierMessageId, error: null, calls };
  } catch (error) {
    if (!(error instanceof CarrierError)) throw error;
    return failed(error.code, error.message, calls, error.retryable);
  } finally {
    await carrier.close(deadline);
  }
}

function outboundOf({ from, to, text }: TriedMessage, now: Date): OutboundMessage {
  return {
    id: newId(),
    kind: 'sms',
    channelId: null,
    channelSettings: null,
    from,
    to: to.replace('+', ''),
    attempt: 1,
    body: text,
    content: null,
    segmentation: segment(text),
    acceptedParts: [],
    validUntil: new Date(now.getTime() + VALID_MS),
  };
}

function failed(code: string, message: string, calls: ToldCall[], retryable = false): TryResult {
  return { ok: false, carrierMessageId: null, error: { code, message, retryable }, calls };
}

function collecting(secrets: readonly string[]): { sink: CallSink; calls: ToldCall[] } {
  const calls: ToldCall[] = [];
  const redact = redaction(secrets);
  const kept = (text: string) => redact(text).slice(0, LONGEST_TEXT);
  return { sink: { note: (tried) => void calls.push(toldOf(tried, kept)) }, calls };
}

/** What the audit log tells of a try: the recipient's last digits alone. */
export function toldOfTry(name: string, { from, to }: TriedMessage) {
  return { action: 'carrier.try', subject: name, after: { from, to: `…${to.slice(-3)}` } };
}
