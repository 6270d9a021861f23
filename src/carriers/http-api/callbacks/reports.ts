import { createHash } from 'node:crypto';
import { parseAttemptId } from '../../attempt-id.js';
import type { Receipt, ReceiptStatus } from '../../carrier.js';
import type { Concatenation, InboundSms } from '../../inbound-message.js';
import { validateConcatenation } from '../../sms/concatenation.js';
import type { Subject } from '../answer/expression.js';
import { toText, valueAt, valuesAt } from '../answer/json-path.js';
import type { InboundPlan, Plan, ReceiptPlan, ReportKind, ReportPath } from '../plan.js';
import { unwrapSnsMessage } from './sns.js';
import { parseTime } from './times.js';

export interface ReportSource {
  carrier: string;
  kind: ReportKind;
  query: Readonly<Record<string, unknown>>;
  /** Contains the query fields if the call has no body. */
  body: unknown;
  receivedAt: Date;
}

export interface UnmatchedItem {
  item: unknown;
  what: 'receipt' | 'inbound' | 'report';
  reason: 'unknown' | 'incomplete';
}

export interface Reports {
  receipts: Receipt[];
  inbound: InboundSms[];
  unused: UnmatchedItem[];
}

export function readReports(plan: Plan, report: ReportSource): Reports {
  const source = plan.sns ? { ...report, body: unwrapSnsMessage(report.body) } : report;
  const reports: Reports = { receipts: [], inbound: [], unused: [] };
  const read = new Set<unknown>();
  const isElsewhere = isAtOtherAddress(plan, source);
  if (plan.receipts && (source.kind !== 'inbound' || isElsewhere)) {
    for (const item of selectItems(plan.receipts, source)) {
      read.add(item);
      readReceipt(plan, plan.receipts, item, source, reports);
    }
  }
  if (plan.inbound && (source.kind !== 'receipts' || isElsewhere)) {
    for (const item of selectItems(plan.inbound, source)) {
      read.add(item);
      readInbound(plan.inbound, item, source, reports);
    }
  }
  if (read.size === 0 && !isEmptyList(plan, source)) {
    reports.unused.push({ item: source.body, what: 'report', reason: 'unknown' });
  }
  return reports;
}

/**
 * Some vendors have one URL setting, and some operators enter the same URL twice. Needs a plan with a `when` condition.
 */
function isAtOtherAddress({ receipts, inbound }: Plan, source: ReportSource): boolean {
  if (source.kind === 'events') return false;
  const [own, other] = source.kind === 'receipts' ? [receipts, inbound] : [inbound, receipts];
  if (!other?.when || (own && selectItems(own, source).length > 0)) return false;
  return selectItems(other, source).length > 0;
}

export function hasOnlyReceipts(plan: Plan, call: Pick<ReportSource, 'kind' | 'query' | 'body'>): boolean {
  const source = { ...call, carrier: '', receivedAt: new Date(0) };
  const mayHaveInbound = call.kind !== 'receipts' || isAtOtherAddress(plan, source);
  const hasInbound = mayHaveInbound && plan.inbound && selectItems(plan.inbound, source).length > 0;
  return !hasInbound && plan.receipts !== null && selectItems(plan.receipts, source).length > 0;
}

function selectItems({ items, when }: Pick<ReceiptPlan, 'items' | 'when'>, { body }: ReportSource): unknown[] {
  const value = valueAt(body, items);
  const all = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
  return when ? all.filter((item) => when(toReportSubject(item))) : all;
}

function isEmptyList(plan: Plan, { body }: ReportSource): boolean {
  const lists = [plan.receipts, plan.inbound].flatMap((each) => (each ? [valueAt(body, each.items)] : []));
  return lists.some((list) => Array.isArray(list) && list.length === 0);
}

function toReportSubject(value: unknown): Subject {
  return { status: null, text: '', value };
}

function readReceipt(plan: Plan, how: ReceiptPlan, item: unknown, source: ReportSource, reports: Reports): void {
  const read = (path: ReportPath | null) => fieldAt(path, item, source);
  const id = read(how.id);
  const word = read(how.status);
  const ours = id !== null && plan.ids !== 'vendor' ? parseAttemptId(id) : null;
  if (id === null || word === null || (plan.ids !== 'vendor' && !ours)) {
    reports.unused.push({ item, what: 'receipt', reason: 'incomplete' });
    return;
  }
  const status = findStatus(how, word.toLowerCase());
  if (status === undefined) {
    reports.unused.push({ item, what: 'receipt', reason: 'unknown' });
    return;
  }
  if (status === null || how.interim?.(toReportSubject(item))) return;
  const part = how.part?.(item) ?? null;
  const isSuccess = status === 'delivered' || status === 'read';
  const code = read(how.code);
  const words = read(how.message);
  reports.receipts.push({
    carrier: source.carrier,
    carrierMessageId: ours ? id.toLowerCase() : id,
    ...ours,
    ...(part && { part }),
    status,
    occurredAt: toTime(read(how.at), source),
    ...(!isSuccess && {
      errorCode: (code ?? word).slice(0, 60),
      errorMessage: (words ?? `${plan.vendor} reports ${word}${code ? `, code ${code}` : ''}.`).slice(0, 300),
    }),
  });
}

function readInbound(how: InboundPlan, item: unknown, source: ReportSource, reports: Reports): void {
  const read = (path: ReportPath | null) => fieldAt(path, item, source);
  const from = read(how.from);
  const recipients = recipientsAt(how.to, item, source);
  const to = recipients.length > 0 ? recipients : how.ourNumber ? [how.ourNumber] : [];
  if (from === null || to.length === 0) {
    reports.unused.push({ item, what: 'inbound', reason: 'incomplete' });
    return;
  }
  const id = how.idFrom ? how.idFrom(item) : read(how.id);
  const concatenation = readConcatenation(how, read);
  const decoded = how.decode?.(item) ?? null;
  const files = how.files?.(item) ?? [];
  const message = {
    carrier: source.carrier,
    carrierMessageId: id ?? fingerprint(item, source),
    from: toDigits(from),
    body: decoded?.body ?? read(how.text) ?? '',
    ...(decoded?.isBinary && { isBinary: true }),
    ...(files.length > 0 && { files }),
    receivedAt: toTime(read(how.at), source),
    ...(concatenation && { concatenation }),
  };
  const isGroupMessage = to.length > 1;
  for (const number of to) reports.inbound.push({ ...message, to: number, ...(isGroupMessage && { isGroupMessage }) });
}

function fieldAt(path: ReportPath | null, item: unknown, { query }: ReportSource): string | null {
  for (const { inQuery, path: steps } of path ?? []) {
    const text = firstText(valueAt(inQuery ? query : item, steps));
    if (text !== null) return text;
  }
  return null;
}

function firstText(value: unknown): string | null {
  if (!Array.isArray(value)) return toText(value);
  return value.map(toText).find((each) => each !== null) ?? null;
}

function recipientsAt(path: ReportPath, item: unknown, { query }: ReportSource): string[] {
  for (const { inQuery, path: steps } of path) {
    const numbers = valuesAt(inQuery ? query : item, steps).flatMap((value) => firstText(value) ?? []);
    if (numbers.length > 0) return [...new Set(numbers.map(toDigits))];
  }
  return [];
}

/** Null: not final. Undefined: unknown word. */
function findStatus({ states }: ReceiptPlan, word: string): ReceiptStatus | null | undefined {
  if (Object.hasOwn(states, word)) return states[word];
  const match = Object.entries(states).find(([each]) => each.endsWith('*') && word.startsWith(each.slice(0, -1)));
  return match?.[1];
}

type ReadField = (path: ReportPath | null) => string | null;

function readConcatenation({ part }: InboundPlan, read: ReadField): Concatenation | null {
  if (!part) return null;
  const numberAt = (path: ReportPath) => Number(read(path));
  return validateConcatenation({
    reference: numberAt(part.reference),
    total: numberAt(part.total),
    part: numberAt(part.number),
  });
}

/** Repeated attempts to apply the same call get the same ID. */
function fingerprint(item: unknown, { receivedAt }: ReportSource): string {
  const content = JSON.stringify([item, receivedAt.getTime()]);
  return `none-${createHash('sha256').update(content).digest('hex').slice(0, 32)}`;
}

function toDigits(written: string): string {
  const plain = written.trim();
  return /^(?:\+|00)?[\d\s().-]+$/.test(plain) ? plain.replace(/^(?:\+|00)/, '').replace(/\D/g, '') : plain;
}

/** Falls back to the time of receipt, also for a future time. */
function toTime(text: string | null, { receivedAt }: ReportSource): Date {
  const time = text === null ? null : parseTime(text);
  return time && time < receivedAt ? time : receivedAt;
}
