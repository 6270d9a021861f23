import type { Plan } from '../plan.js';
import { type Envelope, openEnvelope } from './envelope.js';
import { holdsReceiptsAlone } from './reports.js';

/** Names under which vendors quote the text of the message that a receipt is of. */
const NAMES: ReadonlySet<string> = new Set(['text', 'body', 'content', 'messagebody', 'messagetext', 'smstext']);
/** The end of such a name in JSON or a form. What has none is not looked at any further. */
const NAMED = /(?:text|body|content)["=]/i;

/**
 * A call as it is stored: the text that a receipt quotes is left out, for it may be that of a sign-in code. Messages of telephones
 * keep theirs, and receipts all else.
 */
export function withoutQuotedTexts(plan: Plan, envelope: Envelope): Envelope {
  if (!plan.receipts || envelope.kind === 'inbound' || plan.sns) return envelope;
  const { text = '', query } = envelope;
  if (!NAMED.test(text) && !Object.keys(query).some(isText)) return envelope;
  const opened = openEnvelope(Buffer.from(JSON.stringify(envelope)));
  // Nobody can say what it is: it is kept for an operator, sealed.
  if (!opened || !holdsReceiptsAlone(plan, opened)) return envelope;
  const read = namesRead(plan);
  const bare = without(query, read) as Envelope['query'];
  const isOfQuery = text.trim() === '';
  return { kind: envelope.kind, query: bare, ...(!isOfQuery && { body: without(opened.body, read) }) };
}

const isText = (name: string) => NAMES.has(name.toLowerCase().replaceAll(/[_-]/g, ''));

/** Names of the fields that receipts are read from, be they called as texts are. */
function namesRead({ receipts }: Plan): ReadonlySet<string> {
  const paths = receipts ? [receipts.id, receipts.status, receipts.code, receipts.message, receipts.at] : [];
  return new Set(paths.flatMap((path) => (path ?? []).map(({ path: steps }) => String(steps.at(-1)))));
}

function without(value: unknown, read: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((each) => without(each, read));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, each]) => {
    const isQuoted = typeof each !== 'object' && isText(name) && !read.has(name);
    return [name, isQuoted ? '' : without(each, read)];
  });
  return Object.fromEntries(fields);
}
