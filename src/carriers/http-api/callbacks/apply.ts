import type { ClaimedCallback } from '../../callbacks/callback-store.js';
import { idsIn, idsInText, type UnusedReport } from '../../callbacks/kept/unused-report.js';
import type { Receipt } from '../../carrier.js';
import type { CallbackContext } from '../../carrier-type.js';
import type { InboundSms } from '../../inbound-message.js';
import type { SettingValues } from '../../settings.js';
import type { Plan } from '../plan.js';
import { openEnvelope, sealEnvelope } from './envelope.js';
import { readReports, type UnusedItem } from './reports.js';
import { findSettings } from './settings-store.js';

/**
 * Does what stored calls of vendors say, all receipts together and all messages together. What a plan cannot read is returned,
 * so that it is kept.
 * @param planOf what the settings of a carrier come to, as they are stored
 */
export async function applyCalls(
  calls: readonly ClaimedCallback[],
  { pool, log, sinks }: CallbackContext,
  planOf: (settings: SettingValues) => Plan,
): Promise<readonly UnusedReport[]> {
  const settings = await findSettings(pool, [...new Set(calls.map(({ carrier }) => carrier))]);
  const plans = new Map([...settings].map(([name, values]) => [name, planOf(values)]));
  const receipts: Receipt[] = [];
  const inbound: InboundSms[] = [];
  const unused: UnusedReport[] = [];
  for (const call of calls) {
    const plan = plans.get(call.carrier);
    const opened = openEnvelope(call.body);
    // A carrier that was removed since the call was handed over here is told by the next try.
    if (!plan) throw new Error('the carrier of a call is gone');
    if (!opened) {
      unused.push(unreadable(call));
      continue;
    }
    const reports = readReports(plan, { ...opened, carrier: call.carrier, receivedAt: call.receivedAt });
    receipts.push(...reports.receipts);
    inbound.push(...reports.inbound);
    unused.push(...reports.unused.map((each) => keptOf(call, opened, each)));
  }
  if (receipts.length > 0) await sinks.receipts(receipts);
  if (inbound.length > 0) await sinks.inbound(inbound);
  for (const { carrier, kind, reason } of unused) {
    log.warn({ carrier, kind, reason }, 'a report of a vendor was kept: it could not be used');
  }
  return unused;
}

function keptOf(
  { id: callbackId, carrier, receivedAt }: ClaimedCallback,
  { kind, query, body: whole }: NonNullable<ReturnType<typeof openEnvelope>>,
  { what, reason }: UnusedItem,
): UnusedReport {
  const body = sealEnvelope({ kind, query, body: whole });
  const common = { callbackId, carrier, channelId: null, receivedAt, body, reason };
  return { ...common, kind: `${what}:${reason}`, ids: idsIn({ query, whole }) };
}

function unreadable({ id: callbackId, carrier, receivedAt, body }: ClaimedCallback): UnusedReport {
  const common = { callbackId, carrier, channelId: null, receivedAt, body };
  return { ...common, kind: 'body:unreadable', reason: 'unreadable', ids: idsInText(body.toString('utf8')) };
}
