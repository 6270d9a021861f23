import { type BuiltRequest, type Credentials, credentialHeaders } from './draft.js';
import type { Operation } from './operations.js';

/** What came back. */
export interface Answer {
  status: number;
  statusText: string;
  /** Milliseconds from sending the request to the last byte of the answer. */
  took: number;
  headers: [name: string, value: string][];
  /** As it came; JSON with line breaks. */
  body: string;
  /** The same as a value, where it is JSON. */
  json: unknown;
}

/** Makes the call over HTTP, as any program would: without the session of the console. */
export async function call(
  surface: Operation['surface'],
  made: BuiltRequest,
  credentials: Credentials,
): Promise<Answer> {
  const began = performance.now();
  const response = await fetch(made.path, {
    method: made.method,
    headers: { ...made.headers, ...credentialHeaders(surface, credentials) },
    body: made.body,
    credentials: 'omit',
    cache: 'no-store',
  });
  const body = await response.text();
  const took = performance.now() - began;
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    json = undefined;
  }
  return {
    status: response.status,
    statusText: response.statusText,
    took,
    headers: [...response.headers],
    body: json === undefined ? body : JSON.stringify(json, null, 2),
    json,
  };
}

/** A message that an answer says was accepted. */
export interface SentMessage {
  id: string;
  to: string | null;
}

/** Operations after which there is a message to follow. */
const SENDING = new Set(['sendSms', 'send', 'sendTemplate', 'sendReply']);
/** More would not be read, and their statuses would be asked for again and again. */
const FOLLOWED = 20;

/** The messages that a send accepted, to follow them. */
export function sentMessages(operation: Operation, answer: Answer): SentMessage[] {
  if (!SENDING.has(operation.id) || answer.status >= 300) return [];
  const data = (answer.json as { data?: unknown } | undefined)?.data;
  const entries = Array.isArray(data) ? data : [data];
  return entries
    .map((entry: { message_id?: string; messageId?: string; to?: string } | undefined) => ({
      id: entry?.message_id ?? entry?.messageId ?? '',
      to: entry?.to ?? null,
    }))
    .filter(({ id }) => id !== '')
    .slice(0, FOLLOWED);
}

/** What the API says of a message now. */
export interface MessageState {
  status: string;
  error: string | null;
}

/** The status of a message, from the endpoint that a program would ask. */
export async function statusOf(
  surface: Operation['surface'],
  id: string,
  credentials: Credentials,
): Promise<MessageState> {
  const path = surface === 'a' ? `/v2/messages/${id}` : `/api/v1/messages/status/${id}`;
  const answer = await call(surface, { method: 'GET', path, headers: {}, body: null }, credentials);
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.statusText}`);
  const { data } = answer.json as {
    data: { status: string; error?: { message?: string } | null; errorMessage?: string | null };
  };
  return { status: data.status, error: data.error?.message ?? data.errorMessage ?? null };
}
