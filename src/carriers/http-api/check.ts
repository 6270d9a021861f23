import { CarrierError } from '../carrier-error.js';
import type { CarrierContext, CheckStep } from '../carrier-type.js';
import type { SettingValues } from '../settings.js';
import { extractText, toSubject } from './answer/outcome.js';
import { buildPlan, buildStoredPlan } from './build-plan.js';
import { buildCallbackUrl } from './callbacks/callback-urls.js';
import type { ReportKind } from './plan.js';
import { createEmptyVariables } from './polling.js';
import { VendorClient } from './vendor-client.js';

export async function* checkHttp({
  settings,
  clock,
  calls,
  privateHosts = [],
}: CarrierContext<SettingValues>): AsyncIterable<CheckStep> {
  const plan = buildPlan(settings);
  const client = new VendorClient({ plan, privateHosts, clock, calls });
  try {
    const { origin } = new URL(plan.send.url.replace(/[{}]/g, ''));
    const setting = settings.baseUrl === undefined ? 'url' : 'baseUrl';
    const step = `reach ${origin}`;
    const originAttempt = await attempt(() => client.call({ method: 'GET', url: new URL(origin) }));
    yield { what: step, problem: originAttempt.problem, ...(originAttempt.problem && { setting }) };
    if (originAttempt.problem !== null) return;
    const call = await attempt(() => client.prepare(plan.balance?.request ?? plan.send, createEmptyVariables()));
    if (call.problem !== null) yield { what: 'sign in', problem: call.problem };
    if (call.problem !== null) return;
    if (!plan.balance) {
      const step = `credentials not checked: ${plan.vendor} has no API call that checks them without sending a message`;
      // Only OAuth credentials were verified by requesting a token; all other credentials remain unverified.
      if (plan.auth.kind !== 'oauth') yield { what: step, problem: null, isUntried: true };
      return;
    }
    const { amount, currency } = plan.balance;
    const answer = await attempt(() => client.call(call.value));
    if (answer.problem !== null) {
      yield { what: 'read the balance', problem: answer.problem };
      return;
    }
    const { status } = answer.value;
    const subject = toSubject(answer.value);
    const balance = extractText(amount, subject);
    const isRead = status >= 200 && status <= 299 && balance !== null;
    yield {
      what: isRead
        ? `read the balance: ${[balance, extractText(currency, subject)].filter(Boolean).join(' ')}`
        : 'read the balance',
      problem: isRead ? null : `the response has HTTP status ${status}`,
    };
  } finally {
    await client.close();
  }
}

export function buildEntries(name: string, settings: SettingValues): { what: string; value: string }[] {
  const plan = buildStoredPlan(settings);
  const maskedPlan = { ...plan, pathSecret: plan.pathSecret === null ? null : 'SECRET' };
  const buildUrl = (kind: ReportKind) =>
    buildCallbackUrl(maskedPlan, name, kind)?.replace(/SECRET$/, '{callbackSecret}');
  const events = plan.sns && buildUrl('events');
  if (events) return [{ what: 'URL for receipts and messages', value: events }];
  const receipts = plan.receipts && buildUrl('receipts');
  const inbound = plan.inbound && buildUrl('inbound');
  return [
    ...(receipts ? [{ what: 'URL for receipts', value: receipts }] : []),
    ...(inbound ? [{ what: 'URL for messages', value: inbound }] : []),
  ];
}

type Attempt<T> = { problem: null; value: T } | { problem: string };

async function attempt<T>(work: () => Promise<T>): Promise<Attempt<T>> {
  try {
    return { problem: null, value: await work() };
  } catch (error) {
    if (!(error instanceof CarrierError)) throw error;
    return { problem: error.message };
  }
}
