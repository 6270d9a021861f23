import { AppError, invalidField } from '../../platform/errors/app-error.js';
import { newId } from '../../platform/ids.js';
import type { OutboundMessage } from '../carrier.js';
import { CarrierError } from '../carrier-error.js';
import type { CarrierType } from '../carrier-type.js';
import type { CallSink } from '../http/client.js';
import { type RedactedCall, redactCall } from '../http/redacted-call.js';
import { createRedactor } from '../http/redaction.js';
import type { CarrierRow } from '../registry/carrier-store.js';
import { findSettingsForm, resolveSettings, SettingsError } from '../settings.js';
import { segment } from '../sms/segments.js';
import { findCarrierType } from '../types.js';
import type { CheckOptions } from './check.js';

export interface TriedMessage {
  from: string;
  to: string;
  text: string;
}

export interface TryResult {
  ok: boolean;
  carrierMessageId: string | null;
  error: { code: string; message: string; retryable: boolean } | null;
  calls: RedactedCall[];
}

const DEADLINE_MS = 60_000;
const VALIDITY_MS = 3_600_000;
const LONGEST_TEXT = 16_384;

/** Throws the AppError INVALID_REQUEST for an invalid field, or for a carrier type that does not send SMS over HTTP. */
export function requireTriable(
  row: Pick<CarrierRow, 'name' | 'type'>,
  { from, to, text }: TriedMessage,
  types: readonly CarrierType[],
): void {
  if (!/^\+?[1-9]\d{5,14}$/.test(to)) throw invalidField('to', 'must be a phone number: digits with country code');
  if (!/^[\x20-\x7e]{1,18}$/.test(from)) throw invalidField('from', 'must be 1 to 18 characters');
  if (text === '' || text.length > 1_600) throw invalidField('text', 'must have 1 to 1600 characters');
  const type = findCarrierType(row.type, types);
  if (type?.logsCalls && type.kinds.includes('sms')) return;
  throw new AppError(
    'INVALID_REQUEST',
    `${row.name} has the type ${row.type}, which does not send SMS over HTTP: check it instead`,
  );
}

/** Sends a test message without charging an account or storing the message, so its receipts match no message. */
export async function tryCarrier(
  row: CarrierRow,
  message: TriedMessage,
  { types, env, log, clock, privateHosts = [] }: CheckOptions,
): Promise<TryResult> {
  const type = findCarrierType(row.type, types) as CarrierType;
  let settings: ReturnType<typeof resolveSettings>;
  try {
    settings = resolveSettings(type, row.settings, env);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return toFailure('SETTINGS', error.message, []);
  }
  const secrets = findSettingsForm(type, settings).secrets.map((name) => settings[name]);
  const { sink, calls } = collectCalls(secrets.filter((secret) => typeof secret === 'string'));
  const carrier = type.open({ name: row.name, settings, log, clock, privateHosts, calls: sink });
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  try {
    const { carrierMessageId } = await carrier.submit(toOutbound(message, clock.now()), deadline);
    return { ok: true, carrierMessageId, error: null, calls };
  } catch (error) {
    if (!(error instanceof CarrierError)) throw error;
    return toFailure(error.code, error.message, calls, error.retryable);
  } finally {
    await carrier.close(deadline);
  }
}

function toOutbound({ from, to, text }: TriedMessage, now: Date): OutboundMessage {
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
    validUntil: new Date(now.getTime() + VALIDITY_MS),
  };
}

function toFailure(code: string, message: string, calls: RedactedCall[], retryable = false): TryResult {
  return { ok: false, carrierMessageId: null, error: { code, message, retryable }, calls };
}

function collectCalls(secrets: readonly string[]): { sink: CallSink; calls: RedactedCall[] } {
  const calls: RedactedCall[] = [];
  const redact = createRedactor(secrets);
  const prepare = (text: string) => redact(text).slice(0, LONGEST_TEXT);
  return { sink: { record: (exchange) => void calls.push(redactCall(exchange, prepare)) }, calls };
}

/** The audit log entry contains only the last digits of the recipient. */
export function buildTryAuditEntry(name: string, { from, to }: TriedMessage) {
  return { action: 'carrier.try', subject: name, after: { from, to: `…${to.slice(-3)}` } };
}
