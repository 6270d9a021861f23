import type { ClaimedCallback } from '../../callbacks/callback-store.js';
import { findIds, findIdsInText, type UnmatchedReport } from '../../callbacks/unmatched/unmatched-report.js';
import type { Receipt } from '../../carrier.js';
import type { CallbackContext } from '../../carrier-type.js';
import type { InboundSms } from '../../inbound-message.js';
import type { SettingValues } from '../../settings.js';
import type { Plan } from '../plan.js';
import { parseEnvelope, serializeEnvelope } from './envelope.js';
import { readReports, type UnmatchedItem } from './reports.js';
import { findSettings } from './settings-store.js';

export async function applyCalls(
  calls: readonly ClaimedCallback[],
  { pool, log, sinks }: CallbackContext,
  buildPlan: (settings: SettingValues) => Plan,
): Promise<readonly UnmatchedReport[]> {
  const settings = await findSettings(pool, [...new Set(calls.map(({ carrier }) => carrier))]);
  const plans = new Map([...settings].map(([name, values]) => [name, buildPlan(values)]));
  const receipts: Receipt[] = [];
  const inbound: InboundSms[] = [];
  const unmatched: UnmatchedReport[] = [];
  for (const call of calls) {
    const plan = plans.get(call.carrier);
    const envelope = parseEnvelope(call.body);
    // A carrier without a plan was removed after the dispatcher's check, so the next attempt will set the callback aside.
    if (!plan) throw new Error('the carrier of a stored call no longer exists');
    if (!envelope) {
      unmatched.push(toUnreadableReport(call));
      continue;
    }
    const reports = readReports(plan, { ...envelope, carrier: call.carrier, receivedAt: call.receivedAt });
    receipts.push(...reports.receipts);
    inbound.push(...reports.inbound);
    unmatched.push(...reports.unmatched.map((item) => toUnmatched(call, envelope, item)));
  }
  if (receipts.length > 0) await sinks.receipts(receipts);
  if (inbound.length > 0) await sinks.inbound(inbound);
  for (const { carrier, kind, reason } of unmatched) {
    log.warn({ carrier, kind, reason }, 'a report of a vendor could not be used and was stored as unmatched');
  }
  return unmatched;
}

function toUnmatched(
  { id: callbackId, carrier, receivedAt }: ClaimedCallback,
  { kind, query, body: whole }: NonNullable<ReturnType<typeof parseEnvelope>>,
  { reportType, reason }: UnmatchedItem,
): UnmatchedReport {
  const body = serializeEnvelope({ kind, query, body: whole });
  const common = { callbackId, carrier, channelId: null, receivedAt, body, reason };
  return { ...common, kind: `${reportType}:${reason}`, ids: findIds({ query, whole }) };
}

function toUnreadableReport({ id: callbackId, carrier, receivedAt, body }: ClaimedCallback): UnmatchedReport {
  const common = { callbackId, carrier, channelId: null, receivedAt, body };
  return { ...common, kind: 'body:unreadable', reason: 'unreadable', ids: findIdsInText(body.toString('utf8')) };
}
