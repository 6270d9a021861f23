import { type BuiltRequest, buildCredentialHeaders, type Credentials } from './draft.js';
import type { Operation } from './operations.js';

export interface Answer {
  status: number;
  statusText: string;
  /** Milliseconds from the request to the last byte of the response. */
  durationMs: number;
  headers: [name: string, value: string][];
  /** Response body, indented if it is JSON and unchanged otherwise. */
  body: string;
  /** Parsed response body, or undefined if the body is not JSON. */
  json: unknown;
}

/** Sends the request as an API client would, without the console's session cookie. */
export async function call(
  surface: Operation['surface'],
  request: BuiltRequest,
  credentials: Credentials,
): Promise<Answer> {
  const startedAt = performance.now();
  const response = await fetch(request.path, {
    method: request.method,
    headers: { ...request.headers, ...buildCredentialHeaders(surface, credentials) },
    body: request.body,
    credentials: 'omit',
    cache: 'no-store',
  });
  const body = await response.text();
  const durationMs = performance.now() - startedAt;
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    json = undefined;
  }
  return {
    status: response.status,
    statusText: response.statusText,
    durationMs,
    headers: [...response.headers],
    body: json === undefined ? body : JSON.stringify(json, null, 2),
    json,
  };
}

export interface SentMessage {
  id: string;
  to: string | null;
}

const SENDING = new Set(['sendSms', 'send', 'sendTemplate', 'sendReply']);
/** Maximum number of sent messages whose status is polled. */
const MAX_FOLLOWED = 20;

export function listSentMessages(operation: Operation, answer: Answer): SentMessage[] {
  if (!SENDING.has(operation.id) || answer.status >= 300) return [];
  const data = (answer.json as { data?: unknown } | undefined)?.data;
  const entries = Array.isArray(data) ? data : [data];
  return entries
    .map((entry: { message_id?: string; messageId?: string; to?: string } | undefined) => ({
      id: entry?.message_id ?? entry?.messageId ?? '',
      to: entry?.to ?? null,
    }))
    .filter(({ id }) => id !== '')
    .slice(0, MAX_FOLLOWED);
}

export interface MessageState {
  status: string;
  error: string | null;
}

export async function fetchStatus(
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
