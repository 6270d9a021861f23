import { parseExact } from '../answer/exact-json.js';
import type { ReportKind } from '../plan.js';

/** A call of a vendor as it is stored: with what its query says, for some report by that alone. */
export interface Envelope {
  kind: ReportKind;
  query: Readonly<Record<string, unknown>>;
  /** As it came, in UTF-8; left out where there is none. */
  text?: string;
  /** Its fields instead, of a report that was kept. */
  body?: unknown;
  /** Whether the text is a form (`application/x-www-form-urlencoded`). */
  isForm?: boolean;
}

/** What is stored of a call. */
export function sealEnvelope(envelope: Envelope): Buffer {
  return Buffer.from(JSON.stringify(envelope));
}

/**
 * What a stored call says.
 * @returns its fields; null where its body is neither JSON nor a form
 */
export function openEnvelope(stored: Buffer): (Pick<Envelope, 'kind' | 'query'> & { body: unknown }) | null {
  try {
    const { kind, query, text, body, isForm } = JSON.parse(stored.toString('utf8')) as Envelope;
    if (body !== undefined) return { kind, query, body };
    if (text === undefined || text.trim() === '') return { kind, query, body: query };
    return { kind, query, body: isForm ? formOf(text) : parseExact(text) };
  } catch {
    return null;
  }
}

/** The fields of a form; one that is there more than once is a list. */
export function formOf(text: string): Record<string, string | string[]> {
  const fields = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const known = fields.get(name);
    fields.set(name, known === undefined ? value : [known, value].flat());
  }
  return Object.fromEntries(fields);
}
