import type { Plan } from '../plan.js';
import { type Envelope, parseEnvelope } from './envelope.js';
import { hasOnlyReceipts } from './reports.js';

/** Field names under which vendors quote the message text. */
const TEXT_NAMES: ReadonlySet<string> = new Set(['text', 'body', 'content', 'messagebody', 'messagetext', 'smstext']);
/** A quick check that avoids parsing most calls. */
const TEXT_NAME_PATTERN = /(?:text|body|content)["=]/i;

/** Removes the message text that a receipt may quote, because the text may contain a sign-in code. */
export function removeQuotedTexts(plan: Plan, envelope: Envelope): Envelope {
  if (!plan.receipts || envelope.kind === 'inbound' || plan.sns) return envelope;
  const { text = '', query } = envelope;
  if (!TEXT_NAME_PATTERN.test(text) && !Object.keys(query).some(isTextName)) return envelope;
  const parsedEnvelope = parseEnvelope(Buffer.from(JSON.stringify(envelope)));
  // Unreadable calls stay unchanged, because they are stored encrypted as unmatched reports.
  if (!parsedEnvelope || !hasOnlyReceipts(plan, parsedEnvelope)) return envelope;
  const usedNames = listUsedNames(plan);
  const blankedQuery = blankTexts(query, usedNames) as Envelope['query'];
  const isInQuery = text.trim() === '';
  return {
    kind: envelope.kind,
    query: blankedQuery,
    ...(!isInQuery && { body: blankTexts(parsedEnvelope.body, usedNames) }),
  };
}

const isTextName = (name: string) => TEXT_NAMES.has(name.toLowerCase().replaceAll(/[_-]/g, ''));

/** Lists fields that Heliograph reads, which are never blanked. */
function listUsedNames({ receipts }: Plan): ReadonlySet<string> {
  const paths = receipts ? [receipts.id, receipts.status, receipts.code, receipts.message, receipts.at] : [];
  return new Set(paths.flatMap((path) => (path ?? []).map(({ path: steps }) => String(steps.at(-1)))));
}

function blankTexts(value: unknown, usedNames: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => blankTexts(item, usedNames));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, member]) => {
    const isQuoted = typeof member !== 'object' && isTextName(name) && !usedNames.has(name);
    return [name, isQuoted ? '' : blankTexts(member, usedNames)];
  });
  return Object.fromEntries(fields);
}
