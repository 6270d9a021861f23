import { CarrierError } from '../carrier-error.js';
import type { CarrierContext, CheckStep } from '../carrier-type.js';
import type { SettingValues } from '../settings.js';
import { find, subjectOf } from './answer/outcome.js';
import { callbackUrlOf } from './callbacks/addresses.js';
import type { ReportKind } from './plan.js';
import { planOf, planOfStored } from './plan-of.js';
import { blank } from './polling.js';
import { VendorClient } from './vendor-client.js';

/** Tries whether the vendor is there and, where it tells a balance, whether it takes our credentials. */
export async function* checkHttp({
  settings,
  clock,
  calls,
  privateHosts = [],
}: CarrierContext<SettingValues>): AsyncIterable<CheckStep> {
  const plan = planOf(settings);
  const client = new VendorClient({ plan, privateHosts, clock, calls });
  try {
    const { origin } = new URL(plan.send.url.replace(/[{}]/g, ''));
    const setting = settings.baseUrl === undefined ? 'url' : 'baseUrl';
    const what = `reach ${origin}`;
    const there = await tried(() => client.ask({ method: 'GET', url: new URL(origin) }));
    yield { what, problem: there.problem, ...(there.problem && { setting }) };
    if (there.problem !== null) return;
    // A token, where one is needed.
    const call = await tried(() => client.prepare(plan.balance?.request ?? plan.send, blank()));
    if (call.problem !== null) yield { what: 'sign in', problem: call.problem };
    if (call.problem !== null) return;
    if (!plan.balance) {
      const what = `credentials not tried: ${plan.vendor} has nothing that can be read without sending a message`;
      // A token is given for the right credentials alone.
      if (plan.auth.kind !== 'oauth') yield { what, problem: null, isUntried: true };
      return;
    }
    const { amount, currency } = plan.balance;
    const answer = await tried(() => client.ask(call.value));
    if (answer.problem !== null) {
      yield { what: 'read the balance', problem: answer.problem };
      return;
    }
    const { status } = answer.value;
    const subject = subjectOf(answer.value);
    const found = find(amount, subject);
    const isRead = status >= 200 && status <= 299 && found !== null;
    yield {
      what: isRead
        ? `read the balance: ${[found, find(currency, subject)].filter(Boolean).join(' ')}`
        : 'read the balance',
      problem: isRead ? null : `the answer has HTTP status ${status}`,
    };
  } finally {
    await client.close();
  }
}

/** The addresses that an operator enters at the vendor's, a secret in them hidden. */
export function entriesOf(name: string, settings: SettingValues): { what: string; value: string }[] {
  const plan = planOfStored(settings);
  // Any that is shown says what it is.
  const shown = { ...plan, pathSecret: plan.pathSecret === null ? null : 'SECRET' };
  const url = (kind: ReportKind) => callbackUrlOf(shown, name, kind)?.replace(/SECRET$/, '{callbackSecret}');
  const events = plan.sns && url('events');
  if (events) return [{ what: 'address for receipts and messages', value: events }];
  const receipts = plan.receipts && url('receipts');
  const inbound = plan.inbound && url('inbound');
  return [
    ...(receipts ? [{ what: 'address for receipts', value: receipts }] : []),
    ...(inbound ? [{ what: 'address for messages', value: inbound }] : []),
  ];
}

type Tried<T> = { problem: null; value: T } | { problem: string };

async function tried<T>(work: () => Promise<T>): Promise<Tried<T>> {
  try {
    return { problem: null, value: await work() };
  } catch (error) {
    if (!(error instanceof CarrierError)) throw error;
    return { problem: error.message };
  }
}
