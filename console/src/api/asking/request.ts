import { text } from '../../text/en.js';

/** A field that the server refused, and why: a sentence. */
export interface FieldProblem {
  field: string;
  message: string;
}

/** An answer of the server that is not a success; `status` 0 where there was no answer at all. */
export class ApiError extends Error {
  readonly status: number;
  /** The server's word for it, e.g. `NOT_FOUND`; `UNREACHABLE` where there was no answer. */
  readonly code: string;
  readonly details: readonly FieldProblem[];

  constructor(status: number, code: string, message: string, details: readonly FieldProblem[] = []) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** What an address is asked with; what is undefined or empty is left out. */
export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

interface RequestOptions {
  query?: Query | undefined;
  body?: unknown;
  signal?: AbortSignal | undefined;
  /** By which the server knows a repetition, see `useOnce`. */
  idempotencyKey?: string | undefined;
  /** The `version` of what is changed, as it was when the change was begun. */
  version?: string | undefined;
}

/** A page of a list: `next` is the cursor of the page after it, null on the last one. */
export interface ListPage<T> {
  data: T[];
  next: string | null;
  /** How many there are, where that is cheap to know. */
  total?: number;
}

let isSomebodyHere = () => true;

/** Has requests say where nobody is at the page: those keep no session. */
export function goByPresence(isHere: () => boolean): void {
  isSomebodyHere = isHere;
}

let askWho: (() => Promise<boolean>) | null = null;

/**
 * Has somebody asked who they are where the server wants to know it again.
 * @param ask resolves once they have proved it, or have not
 */
export function onConfirmationNeeded(ask: () => Promise<boolean>): () => void {
  askWho = ask;
  return () => {
    askWho = null;
  };
}

/** Where 401 says that somebody is not signed in, or not by that; everywhere else it says that they are no more. */
const SIGN_IN: ReadonlySet<string> = new Set(['/session', '/session/link']);

const signedOut = new Set<() => void>();

/** Calls back when the server says that the session is over. */
export function onSignedOut(listener: () => void): () => void {
  signedOut.add(listener);
  return () => signedOut.delete(listener);
}

/** The server said that the session is over. */
export function noteSignedOut(): void {
  for (const listener of signedOut) listener();
}

/**
 * Asks `/admin/v1` and gives back the whole answer.
 * @param path below `/admin/v1`, e.g. `/accounts/…/apps`
 * @throws {ApiError}
 */
export async function request<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
  let response: Response;
  try {
    response = await fetch(`/admin/v1${path}${searchOf(options.query)}`, {
      method,
      credentials: 'same-origin',
      headers: {
        accept: 'application/json',
        ...(method !== 'GET' && { 'content-type': 'application/json' }),
        ...(method === 'GET' && !isSomebodyHere() && { 'x-console-background': 'yes' }),
        ...(options.version && { 'if-match': `"${options.version}"` }),
        ...(options.idempotencyKey && { 'idempotency-key': options.idempotencyKey }),
      },
      // An unsafe request says in its content type that it is ours, so it has a body even where it says nothing.
      body: method === 'GET' ? null : JSON.stringify(options.body ?? {}),
      signal: options.signal ?? null,
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError(0, 'UNREACHABLE', 'The server does not answer.');
  }
  if (response.ok) return (response.status === 204 ? undefined : await response.json()) as T;
  const error = await errorOf(response);
  if (error.code === 'CONFIRMATION_NEEDED' && (await askWho?.())) return request<T>(method, path, options);
  if (error.status === 401 && !SIGN_IN.has(path)) noteSignedOut();
  throw error;
}

/** The problem of one field of a form, of whatever was thrown. */
export function problemOf(error: unknown, field: string): string | undefined {
  return error instanceof ApiError ? error.details.find((each) => each.field === field)?.message : undefined;
}

/** Whether the server said that there is no such thing. */
export function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

/** The problems of a form by field, as `form.setErrors` of @mantine/form takes them. */
export function problemsOf(error: unknown): Record<string, string> {
  const details = error instanceof ApiError ? error.details : [];
  return Object.fromEntries(details.map(({ field, message }) => [field, message]));
}

export function searchOf(query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value));
  }
  return search.size > 0 ? `?${search}` : '';
}

async function errorOf(response: Response): Promise<ApiError> {
  return errorIn(response.status, await response.text().catch(() => ''));
}

/** What an answer says that is no success. @param body as it came */
export function errorIn(status: number, body: string): ApiError {
  try {
    const { error } = JSON.parse(body) as { error: { code: string; message: string; details?: FieldProblem[] } };
    const details = error.details?.map(({ field, message }) => ({ field, message: text.errors.ofField(message) }));
    return new ApiError(status, error.code, error.message, details);
  } catch {
    return new ApiError(status, 'UNREADABLE', `The server answered with status ${status}.`);
  }
}
