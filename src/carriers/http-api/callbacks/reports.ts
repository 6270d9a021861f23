import { createHash } from 'node:crypto';
import { readAttemptId } from '../../attempt-id.js';
import type { Receipt, ReceiptStatus } from '../../carrier.js';
import type { Concatenation, InboundSms } from '../../inbound-message.js';
import { concatenationOf } from '../../sms/concatenation.js';
import type { Subject } from '../answer/expression.js';
import { textOf, valueAt, valuesAt } from '../answer/json-path.js';
import type { InboundPlan, Plan, ReceiptPlan, ReportKind, ReportPath } from '../plan.js';
import { publishedIn } from './sns.js';
import { readTime } from './times.js';

/** What a vendor reported: by calling us, or in answer to a question of ours. */
export interface ReportSource {
  carrier: string;
  kind: ReportKind;
  query: Readonly<Record<string, unknown>>;
  /** JSON, or the fields of a form; the fields of the query where there is no body. */
  body: unknown;
  receivedAt: Date;
}

/** Why an item is not used. */
export interface UnusedItem {
  item: unknown;
  what: 'receipt' | 'inbound' | 'report';
  reason: 'unknown' | 'incomplete';
}

export interface Reports {
  receipts: Receipt[];
  inbound: InboundSms[];
  unused: UnusedItem[];
}

/** Reads what a vendor reported, as its plan says. What the plan does not know is told as unused. */
export function readReports(plan: Plan, given: ReportSource): Reports {
  const source = plan.sns ? { ...given, body: publishedIn(given.body) } : given;
  const reports: Reports = { receipts: [], inbound: [], unused: [] };
  const read = new Set<unknown>();
  const isElsewhere = isAtOtherAddress(plan, source);
  if (plan.receipts && (source.kind !== 'inbound' || isElsewhere)) {
    for (const item of itemsOf(plan.receipts, source)) {
      read.add(item);
      readReceipt(plan, plan.receipts, item, source, reports);
    }
  }
  if (plan.inbound && (source.kind !== 'receipts' || isElsewhere)) {
    for (const item of itemsOf(plan.inbound, source)) {
      read.add(item);
      readInbound(plan.inbound, item, source, reports);
    }
  }
  // A vendor that has nothing to tell answers with an empty list.
  if (read.size === 0 && !isEmptyList(plan, source)) {
    reports.unused.push({ item: source.body, what: 'report', reason: 'unknown' });
  }
  return reports;
}

/**
 * Whether a call belongs to the other address: a message arrived at the address for receipts, or the reverse. Some vendors have one
 * address for both, and some operators enter the same address twice. Works only for plans with a `when` condition.
 */
function isAtOtherAddress({ receipts, inbound }: Plan, source: ReportSource): boolean {
  if (source.kind === 'events') return false;
  const [own, other] = source.kind === 'receipts' ? [receipts, inbound] : [inbound, receipts];
  if (!other?.when || (own && itemsOf(own, source).length > 0)) return false;
  return itemsOf(other, source).length > 0;
}

/** Whether a call tells of receipts, and of no message of a telephone. */
export function holdsReceiptsAlone(plan: Plan, call: Pick<ReportSource, 'kind' | 'query' | 'body'>): boolean {
  const source = { ...call, carrier: '', receivedAt: new Date(0) };
  const mayHaveInbound = call.kind !== 'receipts' || isAtOtherAddress(plan, source);
  const hasInbound = mayHaveInbound && plan.inbound && itemsOf(plan.inbound, source).length > 0;
  return !hasInbound && plan.receipts !== null && itemsOf(plan.receipts, source).length > 0;
}

function itemsOf({ items, when }: Pick<ReceiptPlan, 'items' | 'when'>, { body }: ReportSource): unknown[] {
  const found = valueAt(body, items);
  const all = Array.isArray(found) ? found : found === undefined || found === null ? [] : [found];
  return when ? all.filter((item) => when(subjectOf(item))) : all;
}

function isEmptyList(plan: Plan, { body }: ReportSource): boolean {
  const lists = [plan.receipts, plan.inbound].flatMap((each) => (each ? [valueAt(body, each.items)] : []));
  return lists.some((list) => Array.isArray(list) && list.length === 0);
}

function subjectOf(value: unknown): Subject {
  return { status: null, text: '', value };
}

function readReceipt(plan: Plan, how: ReceiptPlan, item: unknown, source: ReportSource, reports: Reports): void {
  const at = (path: ReportPath | null) => fieldAt(path, item, source);
  const id = at(how.id);
  const word = at(how.status);
  const ours = id !== null && plan.ids !== 'vendor' ? readAttemptId(id) : null;
  if (id === null || word === null || (plan.ids !== 'vendor' && !ours)) {
    reports.unused.push({ item, what: 'receipt', reason: 'incomplete' });
    return;
  }
  const status = stateOf(how, word.toLowerCase());
  if (status === undefined) {
    reports.unused.push({ item, what: 'receipt', reason: 'unknown' });
    return;
  }
  if (status === null || how.interim?.(subjectOf(item))) return;
  const part = how.part?.(item) ?? null;
  const isGood = status === 'delivered' || status === 'read';
  const code = at(how.code);
  const words = at(how.message);
  reports.receipts.push({
    carrier: source.carrier,
    carrierMessageId: ours ? id.toLowerCase() : id,
    ...ours,
    ...(part && { part }),
    status,
    occurredAt: timeOf(at(how.at), source),
    ...(!isGood && {
      errorCode: (code ?? word).slice(0, 60),
      errorMessage: (words ?? `${plan.vendor} reports ${word}${code ? `, code ${code}` : ''}.`).slice(0, 300),
    }),
  });
}

function readInbound(how: InboundPlan, item: unknown, source: ReportSource, reports: Reports): void {
  const at = (path: ReportPath | null) => fieldAt(path, item, source);
  const from = at(how.from);
  const named = recipientsAt(how.to, item, source);
  const to = named.length > 0 ? named : how.ourNumber ? [how.ourNumber] : [];
  if (from === null || to.length === 0) {
    reports.unused.push({ item, what: 'inbound', reason: 'incomplete' });
    return;
  }
  const id = how.idFrom ? how.idFrom(item) : at(how.id);
  const concatenation = partOf(how, at);
  const decoded = how.decode?.(item) ?? null;
  const files = how.files?.(item) ?? [];
  const message = {
    carrier: source.carrier,
    carrierMessageId: id ?? fingerprintOf(item, source),
    from: digitsOf(from),
    body: decoded?.body ?? at(how.text) ?? '',
    ...(decoded?.isBinary && { isBinary: true }),
    ...(files.length > 0 && { files }),
    receivedAt: timeOf(at(how.at), source),
    ...(concatenation && { concatenation }),
  };
  // Of a message to a group, only some numbers are ours: the sink looks for the channel of each.
  const isOneOfSeveral = to.length > 1;
  for (const number of to) reports.inbound.push({ ...message, to: number, ...(isOneOfSeveral && { isOneOfSeveral }) });
}

function fieldAt(path: ReportPath | null, item: unknown, { query }: ReportSource): string | null {
  for (const { inQuery, path: steps } of path ?? []) {
    const found = firstText(valueAt(inQuery ? query : item, steps));
    if (found !== null) return found;
  }
  return null;
}

/** A field of a form or a query may be there more than once. */
function firstText(value: unknown): string | null {
  if (!Array.isArray(value)) return textOf(value);
  return value.map(textOf).find((each) => each !== null) ?? null;
}

/** The numbers that a message was sent to, without repetitions. */
function recipientsAt(path: ReportPath, item: unknown, { query }: ReportSource): string[] {
  for (const { inQuery, path: steps } of path) {
    const found = valuesAt(inQuery ? query : item, steps).flatMap((value) => firstText(value) ?? []);
    if (found.length > 0) return [...new Set(found.map(digitsOf))];
  }
  return [];
}

/** Undefined for a word that is not known. */
function stateOf({ states }: ReceiptPlan, word: string): ReceiptStatus | null | undefined {
  if (Object.hasOwn(states, word)) return states[word];
  const known = Object.entries(states).find(([each]) => each.endsWith('*') && word.startsWith(each.slice(0, -1)));
  return known?.[1];
}

function partOf({ part }: InboundPlan, at: (path: ReportPath | null) => string | null): Concatenation | null {
  if (!part) return null;
  const numberAt = (path: ReportPath) => Number(at(path));
  return concatenationOf({
    reference: numberAt(part.reference),
    total: numberAt(part.total),
    part: numberAt(part.number),
  });
}

/** Of a message to which the vendor gives no id: the same for a repetition of the call, another for any other. */
function fingerprintOf(item: unknown, { receivedAt }: ReportSource): string {
  const said = JSON.stringify([item, receivedAt.getTime()]);
  return `none-${createHash('sha256').update(said).digest('hex').slice(0, 32)}`;
}

/** A number without what is written before its digits; a short code or a name stays as it is. */
function digitsOf(written: string): string {
  const plain = written.trim();
  return /^(?:\+|00)?[\d\s().-]+$/.test(plain) ? plain.replace(/^(?:\+|00)/, '').replace(/\D/g, '') : plain;
}

/** Never ahead of our clock. */
function timeOf(text: string | null, { receivedAt }: ReportSource): Date {
  const told = text === null ? null : readTime(text);
  return told && told < receivedAt ? told : receivedAt;
}
