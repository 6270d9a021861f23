import type { Plan } from '../plan.js';
import { type Envelope, parseEnvelope } from './envelope.js';
import { hasOnlyReceipts } from './reports.js';

/** Field names under which vendors quote the message text in receipts. */
const NAMES: ReadonlySet<string> = new Set(['text', 'body', 'content', 'messagebody', 'messagetext', 'smstext']);
/** The end of such a name in JSON or a form. Quick check that avoids parsing most calls. */
const NAMED = /(?:text|body|content)["=]/i;

/**
 * Removes the message text that a receipt quotes, because it may contain a sign-in code. Other fields and inbound messages
 * stay complete.
 */
export function removeQuotedTexts(plan: Plan, envelope: Envelope): Envelope {
  if (!plan.receipts || envelope.kind === 'inbound' || plan.sns) return envelope;
  const { text = '', query } = envelope;
  if (!NAMED.test(text) && !Object.keys(query).some(isText)) return envelope;
  const opened = parseEnvelope(Buffer.from(JSON.stringify(envelope)));
  // An unreadable call is stored complete; it ends up encrypted as an unmatched report.
  if (!opened || !hasOnlyReceipts(plan, opened)) return envelope;
  const usedNames = receiptFieldNames(plan);
  const blankedQuery = blankTexts(query, usedNames) as Envelope['query'];
  const isInQuery = text.trim() === '';
  return { kind: envelope.kind, query: blankedQuery, ...(!isInQuery && { body: blankTexts(opened.body, usedNames) }) };
}

const isText = (name: string) => NAMES.has(name.toLowerCase().replaceAll(/[_-]/g, ''));

/** Names of the fields that the plan reads receipts from. They are never blanked. */
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
