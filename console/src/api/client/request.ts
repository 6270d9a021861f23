import { text } from '../../text/en.js';

export interface FieldProblem {
  field: string;
  message: string;
}

/** Error response of the server, with the `status` 0 if the server did not respond. */
export class ApiError extends Error {
  readonly status: number;
  /** Error code such as `NOT_FOUND`, or `UNREACHABLE` if the server did not respond. */
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

export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

interface RequestOptions {
  query?: Query | undefined;
  body?: unknown;
  signal?: AbortSignal | undefined;
  idempotencyKey?: string | undefined;
  version?: string | undefined;
}

/** Page of a list, where `next` is the cursor of the next page, or null on the last page. */
export interface ListPage<T> {
  data: T[];
  next: string | null;
  total?: number;
}

let isAttended = () => true;

/** Sets the check for an unattended page, whose GET requests are marked so that they do not extend the session. */
export function trackPresence(isPersonPresent: () => boolean): void {
  isAttended = isPersonPresent;
}

let requestConfirmation: (() => Promise<boolean>) | null = null;

/**
 * Registers the dialog in which operators confirm their identity when the server requires it.
 * @param confirmIdentity resolves to whether the identity was confirmed
 */
export function onConfirmationNeeded(confirmIdentity: () => Promise<boolean>): () => void {
  requestConfirmation = confirmIdentity;
  return () => {
    requestConfirmation = null;
  };
}

/** Paths on which a 401 means that signing in failed, rather than that the session has ended. */
const SIGN_IN: ReadonlySet<string> = new Set(['/session', '/session/link']);

const signOutListeners = new Set<() => void>();

export function onSignedOut(listener: () => void): () => void {
  signOutListeners.add(listener);
  return () => signOutListeners.delete(listener);
}

export function notifySignedOut(): void {
  for (const listener of signOutListeners) listener();
}

/**
 * Sends a request to `/admin/v1` and returns the whole response body.
 * @param path below `/admin/v1`, for example `/accounts/…/apps`
 * @throws {ApiError}
 */
export async function request<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
  let response: Response;
  try {
    response = await fetch(`/admin/v1${path}${buildSearch(options.query)}`, {
      method,
      credentials: 'same-origin',
      headers: {
        accept: 'application/json',
        ...(method !== 'GET' && { 'content-type': 'application/json' }),
        ...(method === 'GET' && !isAttended() && { 'x-console-background': 'yes' }),
        ...(options.version && { 'if-match': `"${options.version}"` }),
        ...(options.idempotencyKey && { 'idempotency-key': options.idempotencyKey }),
      },
      // The server accepts changes only with a body of this content type, as a protection against cross-site requests.
      body: method === 'GET' ? null : JSON.stringify(options.body ?? {}),
      signal: options.signal ?? null,
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError(0, 'UNREACHABLE', 'The server does not respond.');
  }
  if (response.ok) return (response.status === 204 ? undefined : await response.json()) as T;
  const error = await readError(response);
  if (error.code === 'CONFIRMATION_NEEDED' && (await requestConfirmation?.())) return request<T>(method, path, options);
  if (error.status === 401 && !SIGN_IN.has(path)) notifySignedOut();
  throw error;
}

export function findFieldProblem(error: unknown, field: string): string | undefined {
  return error instanceof ApiError ? error.details.find((problem) => problem.field === field)?.message : undefined;
}

export function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

export function listFieldProblems(error: unknown): Record<string, string> {
  const details = error instanceof ApiError ? error.details : [];
  return Object.fromEntries(details.map(({ field, message }) => [field, message]));
}

export function buildSearch(query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value));
  }
  return search.size > 0 ? `?${search}` : '';
}

async function readError(response: Response): Promise<ApiError> {
  return parseError(response.status, await response.text().catch(() => ''));
}

/** Reads an error response. @param body response text */
export function parseError(status: number, body: string): ApiError {
  try {
    const { error } = JSON.parse(body) as { error: { code: string; message: string; details?: FieldProblem[] } };
    const details = error.details?.map(({ field, message }) => ({ field, message: text.errors.toSentence(message) }));
    return new ApiError(status, error.code, error.message, details);
  } catch {
    return new ApiError(status, 'UNREADABLE', `The server responded with status ${status}.`);
  }
}
