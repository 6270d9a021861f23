import type { Plan } from '../plan.js';
import { type Envelope, parseEnvelope } from './envelope.js';
import { hasOnlyReceipts } from './reports.js';

/** Vendors quote the message text under these names. */
const NAMES: ReadonlySet<string> = new Set(['text', 'body', 'content', 'messagebody', 'messagetext', 'smstext']);
/** A quick check that avoids parsing most calls. */
const NAMED = /(?:text|body|content)["=]/i;

/** A receipt may quote the message text, which may contain a sign-in code. */
export function removeQuotedTexts(plan: Plan, envelope: Envelope): Envelope {
  if (!plan.receipts || envelope.kind === 'inbound' || plan.sns) return envelope;
  const { text = '', query } = envelope;
  if (!NAMED.test(text) && !Object.keys(query).some(isText)) return envelope;
  const opened = parseEnvelope(Buffer.from(JSON.stringify(envelope)));
  // An unreadable call ends up encrypted as an unmatched report.
  if (!opened || !hasOnlyReceipts(plan, opened)) return envelope;
  const usedNames = receiptFieldNames(plan);
  const blankedQuery = blankTexts(query, usedNames) as Envelope['query'];
  const isInQuery = text.trim() === '';
  return { kind: envelope.kind, query: blankedQuery, ...(!isInQuery && { body: blankTexts(opened.body, usedNames) }) };
}

const isText = (name: string) => NAMES.has(name.toLowerCase().replaceAll(/[_-]/g, ''));

/** They are never blanked. */
function receiptFieldNames({ receipts }: Plan): ReadonlySet<string> {
  const paths = receipts ? [receipts.id, receipts.status, receipts.code, receipts.message, receipts.at] : [];
  return new Set(paths.flatMap((path) => (path ?? []).map(({ path: steps }) => String(steps.at(-1)))));
}

function blankTexts(value: unknown, usedNames: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((each) => blankTexts(each, usedNames));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, each]) => {
    const isQuoted = typeof each !== 'object' && isText(name) && !usedNames.has(name);
    return [name, isQuoted ? '' : blankTexts(each, usedNames)];
  });
  return Object.fromEntries(fields);
}
