import { createHash } from 'node:crypto';
import { parseAttemptId } from '../../attempt-id.js';
import type { Receipt, ReceiptStatus } from '../../carrier.js';
import type { Concatenation, InboundSms } from '../../inbound-message.js';
import { validateConcatenation } from '../../sms/concatenation.js';
import type { Subject } from '../answer/expression.js';
import { findValue, findValues, toText } from '../answer/json-path.js';
import type { InboundPlan, Plan, ReceiptPlan, ReportKind, ReportPath } from '../plan.js';
import { unwrapSnsMessage } from './sns.js';
import { parseTime } from './times.js';

export interface ReportSource {
  carrier: string;
  kind: ReportKind;
  query: Readonly<Record<string, unknown>>;
  /** `body` contains the query fields if the call has no body. */
  body: unknown;
  receivedAt: Date;
}

export interface UnmatchedItem {
  item: unknown;
  reportType: 'receipt' | 'inbound' | 'report';
  reason: 'unknown' | 'incomplete';
}

export interface Reports {
  receipts: Receipt[];
  inbound: InboundSms[];
  unmatched: UnmatchedItem[];
}

export function readReports(plan: Plan, report: ReportSource): Reports {
  const source = plan.sns ? { ...report, body: unwrapSnsMessage(report.body) } : report;
  const reports: Reports = { receipts: [], inbound: [], unmatched: [] };
  const readItems = new Set<unknown>();
  const isElsewhere = isAtOtherAddress(plan, source);
  if (plan.receipts && (source.kind !== 'inbound' || isElsewhere)) {
    for (const item of selectItems(plan.receipts, source)) {
      readItems.add(item);
      readReceipt(plan, plan.receipts, item, source, reports);
    }
  }
  if (plan.inbound && (source.kind !== 'receipts' || isElsewhere)) {
    for (const item of selectItems(plan.inbound, source)) {
      readItems.add(item);
      readInbound(plan.inbound, item, source, reports);
    }
  }
  if (readItems.size === 0 && !isEmptyList(plan, source)) {
    reports.unmatched.push({ item: source.body, reportType: 'report', reason: 'unknown' });
  }
  return reports;
}

/** Detects receipts at the inbound URL and vice versa, because some vendors have a single URL setting. */
function isAtOtherAddress({ receipts, inbound }: Plan, source: ReportSource): boolean {
  if (source.kind === 'events') return false;
  const [ownPlan, otherPlan] = source.kind === 'receipts' ? [receipts, inbound] : [inbound, receipts];
  if (!otherPlan?.when || (ownPlan && selectItems(ownPlan, source).length > 0)) return false;
  return selectItems(otherPlan, source).length > 0;
}

export function hasOnlyReceipts(plan: Plan, call: Pick<ReportSource, 'kind' | 'query' | 'body'>): boolean {
  const source = { ...call, carrier: '', receivedAt: new Date(0) };
  const mayHaveInbound = call.kind !== 'receipts' || isAtOtherAddress(plan, source);
  const hasInbound = mayHaveInbound && plan.inbound && selectItems(plan.inbound, source).length > 0;
  return !hasInbound && plan.receipts !== null && selectItems(plan.receipts, source).length > 0;
}

function selectItems({ items, when }: Pick<ReceiptPlan, 'items' | 'when'>, { body }: ReportSource): unknown[] {
  const value = findValue(body, items);
  const candidates = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
  return when ? candidates.filter((item) => when(toReportSubject(item))) : candidates;
}

function isEmptyList(plan: Plan, { body }: ReportSource): boolean {
  const lists = [plan.receipts, plan.inbound].flatMap((reportPlan) =>
    reportPlan ? [findValue(body, reportPlan.items)] : [],
  );
  return lists.some((list) => Array.isArray(list) && list.length === 0);
}

function toReportSubject(value: unknown): Subject {
  return { status: null, text: '', value };
}

function readReceipt(
  plan: Plan,
  receiptPlan: ReceiptPlan,
  item: unknown,
  source: ReportSource,
  reports: Reports,
): void {
  const readField = (path: ReportPath | null) => findField(path, item, source);
  const id = readField(receiptPlan.id);
  const statusWord = readField(receiptPlan.status);
  const attemptId = id !== null && plan.ids !== 'vendor' ? parseAttemptId(id) : null;
  if (id === null || statusWord === null || (plan.ids !== 'vendor' && !attemptId)) {
    reports.unmatched.push({ item, reportType: 'receipt', reason: 'incomplete' });
    return;
  }
  const status = findStatus(receiptPlan, statusWord.toLowerCase());
  if (status === undefined) {
    reports.unmatched.push({ item, reportType: 'receipt', reason: 'unknown' });
    return;
  }
  if (status === null || receiptPlan.isInterim?.(toReportSubject(item))) return;
  const part = receiptPlan.readPart?.(item) ?? null;
  const isSuccess = status === 'delivered' || status === 'read';
  const code = readField(receiptPlan.code);
  const errorText = readField(receiptPlan.message);
  reports.receipts.push({
    carrier: source.carrier,
    carrierMessageId: attemptId ? id.toLowerCase() : id,
    ...attemptId,
    ...(part && { part }),
    status,
    occurredAt: toTime(readField(receiptPlan.at), source),
    ...(!isSuccess && {
      errorCode: (code ?? statusWord).slice(0, 60),
      errorMessage: (errorText ?? `${plan.vendor} reports ${statusWord}${code ? `, code ${code}` : ''}.`).slice(0, 300),
    }),
  });
}

function readInbound(inboundPlan: InboundPlan, item: unknown, source: ReportSource, reports: Reports): void {
  const readField = (path: ReportPath | null) => findField(path, item, source);
  const from = readField(inboundPlan.from);
  const recipients = findRecipients(inboundPlan.to, item, source);
  const to = recipients.length > 0 ? recipients : inboundPlan.ourNumber ? [inboundPlan.ourNumber] : [];
  if (from === null || to.length === 0) {
    reports.unmatched.push({ item, reportType: 'inbound', reason: 'incomplete' });
    return;
  }
  const id = inboundPlan.deriveId ? inboundPlan.deriveId(item) : readField(inboundPlan.id);
  const concatenation = readConcatenation(inboundPlan, readField);
  const decodedText = inboundPlan.decode?.(item) ?? null;
  const files = inboundPlan.findFiles?.(item) ?? [];
  const message = {
    carrier: source.carrier,
    carrierMessageId: id ?? computeFingerprint(item, source),
    from: toDigits(from),
    body: decodedText?.body ?? readField(inboundPlan.text) ?? '',
    ...(decodedText?.isBinary && { isBinary: true }),
    ...(files.length > 0 && { files }),
    receivedAt: toTime(readField(inboundPlan.at), source),
    ...(concatenation && { concatenation }),
  };
  const isGroupMessage = to.length > 1;
  for (const number of to) reports.inbound.push({ ...message, to: number, ...(isGroupMessage && { isGroupMessage }) });
}

function findField(path: ReportPath | null, item: unknown, { query }: ReportSource): string | null {
  for (const { inQuery, path: steps } of path ?? []) {
    const text = findFirstText(findValue(inQuery ? query : item, steps));
    if (text !== null) return text;
  }
  return null;
}

function findFirstText(value: unknown): string | null {
  if (!Array.isArray(value)) return toText(value);
  return value.map(toText).find((text) => text !== null) ?? null;
}

function findRecipients(path: ReportPath, item: unknown, { query }: ReportSource): string[] {
  for (const { inQuery, path: steps } of path) {
    const numbers = findValues(inQuery ? query : item, steps).flatMap((value) => findFirstText(value) ?? []);
    if (numbers.length > 0) return [...new Set(numbers.map(toDigits))];
  }
  return [];
}

/** Null: not final. Undefined: unknown word. */
function findStatus({ states }: ReceiptPlan, word: string): ReceiptStatus | null | undefined {
  if (Object.hasOwn(states, word)) return states[word];
  const match = Object.entries(states).find(([state]) => state.endsWith('*') && word.startsWith(state.slice(0, -1)));
  return match?.[1];
}

type ReadField = (path: ReportPath | null) => string | null;

function readConcatenation({ part }: InboundPlan, readField: ReadField): Concatenation | null {
  if (!part) return null;
  const numberAt = (path: ReportPath) => Number(readField(path));
  return validateConcatenation({
    reference: numberAt(part.reference),
    total: numberAt(part.total),
    part: numberAt(part.number),
  });
}

/** Repeated attempts to apply a call compute the same ID. */
function computeFingerprint(item: unknown, { receivedAt }: ReportSource): string {
  const content = JSON.stringify([item, receivedAt.getTime()]);
  return `none-${createHash('sha256').update(content).digest('hex').slice(0, 32)}`;
}

function toDigits(number: string): string {
  const trimmed = number.trim();
  return /^(?:\+|00)?[\d\s().-]+$/.test(trimmed) ? trimmed.replace(/^(?:\+|00)/, '').replace(/\D/g, '') : trimmed;
}

/** Uses the time of receipt if the vendor's time is missing or in the future. */
function toTime(text: string | null, { receivedAt }: ReportSource): Date {
  const time = text === null ? null : parseTime(text);
  return time && time < receivedAt ? time : receivedAt;
}
