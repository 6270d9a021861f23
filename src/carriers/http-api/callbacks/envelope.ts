import { parseExact } from '../answer/exact-json.js';
import type { ReportKind } from '../plan.js';

/** `text` is absent if the whole report is in the query. */
export interface Envelope {
  kind: ReportKind;
  query: Readonly<Record<string, unknown>>;
  text?: string;
  /** `body` is used instead of `text` in unmatched reports, and in calls whose quoted texts were removed. */
  body?: unknown;
  isForm?: boolean;
}

export function serializeEnvelope(envelope: Envelope): Buffer {
  return Buffer.from(JSON.stringify(envelope));
}

export function parseEnvelope(stored: Buffer): (Pick<Envelope, 'kind' | 'query'> & { body: unknown }) | null {
  try {
    const { kind, query, text, body, isForm } = JSON.parse(stored.toString('utf8')) as Envelope;
    if (body !== undefined) return { kind, query, body };
    if (text === undefined || text.trim() === '') return { kind, query, body: query };
    return { kind, query, body: isForm ? parseForm(text) : parseExact(text) };
  } catch {
    return null;
  }
}

/** Repeated fields become lists. */
export function parseForm(text: string): Record<string, string | string[]> {
  const fields = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const previous = fields.get(name);
    fields.set(name, previous === undefined ? value : [previous, value].flat());
  }
  return Object.fromEntries(fields);
}
