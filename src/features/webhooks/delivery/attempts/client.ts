import type { Dispatcher } from 'undici';
import { GuardedHttp } from '../../../../platform/net/guarded-http.js';
import { PrivateAddressError } from '../../../../platform/net/public-connector.js';
import { NameLookupError, type Resolve } from '../../../../platform/net/resolver.js';
import { onAbort } from '../../../../platform/on-abort.js';
import { AnswerStart } from './answer-start.js';

/** By which endpoints know us. */
export const USER_AGENT = 'Heliograph-Webhooks';
/** A whole try: look-up, connection, request and answer. */
export const ATTEMPT_TIMEOUT_MS = 15_000;
/** Bytes of an answer that are read, so that its connection can be used again; a longer one ends the connection. */
const BODY_LIMIT = 64 * 1024;
const KEEP_ALIVE_MS = 4_000;

/** What came of one try. */
export interface AttemptOutcome {
  ok: boolean;
  /** Null when no answer came. */
  statusCode: number | null;
  /** Why it failed, as the webhook's owner may read it: without addresses; null when it succeeded. */
  error: string | null;
  /** The beginning of the answer's body, for whoever looks why it failed; null where there is none. */
  answer?: string | null | undefined;
  /** The whole body of an answer, where it was asked for; null of one that is compressed, or longer than what is read. */
  whole?: string | null | undefined;
  /** The process is stopping: the try says nothing about the endpoint. */
  aborted: boolean;
}

export interface WebhookRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** Ends the try. */
  signal: AbortSignal;
  /** The body of the answer is wanted as `whole`. */
  keepsWhole?: boolean;
}

/** What no stop of the process breaks off: its asker waits. */
const NEVER = new AbortController().signal;

/** Sends one request to an endpoint. Never rejects. */
export type Post = (request: WebhookRequest) => Promise<AttemptOutcome>;

export interface WebhookClientOptions {
  allowPrivate: boolean;
  /** How host names are resolved; by DNS unless told. */
  resolve?: Resolve;
  timeoutMs?: number;
}

/**
 * HTTP to endpoints that anybody may name. It follows no redirect, uses no proxy of the environment, reads little, and
 * reaches public addresses only. Connections to one host are not limited: the deliverer limits what is under way, and a
 * host that many webhooks share must not make them wait for each other.
 */
export class WebhookClient {
  readonly #http: GuardedHttp;
  readonly #timeoutMs: number;

  constructor({ allowPrivate, resolve, timeoutMs = ATTEMPT_TIMEOUT_MS }: WebhookClientOptions) {
    this.#timeoutMs = timeoutMs;
    this.#http = new GuardedHttp({
      reach: { allowPrivate, resolve },
      connectTimeoutMs: timeoutMs,
      agent: {
        keepAliveTimeout: KEEP_ALIVE_MS,
        keepAliveMaxTimeout: KEEP_ALIVE_MS,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
      },
    });
  }

  post(request: WebhookRequest): Promise<AttemptOutcome> {
    return this.#ask('POST', request);
  }

  /** Asks an endpoint for something. Never rejects. */
  get(url: string): Promise<AttemptOutcome> {
    return this.#ask('GET', { url, headers: { 'user-agent': USER_AGENT }, signal: NEVER });
  }

  async #ask(
    method: 'GET' | 'POST',
    { url, headers, body, signal, keepsWhole = false }: Omit<WebhookRequest, 'body'> & { body?: string },
  ): Promise<AttemptOutcome> {
    const abort = new AbortController();
    const stop = () => abort.abort();
    const timer = setTimeout(stop, this.#timeoutMs);
    const unlisten = onAbort(signal, stop);
    let statusCode: number | null = null;
    let start: AnswerStart | null = null;
    try {
      signal.throwIfAborted();
      const answer = await this.#http.request(url, {
        method,
        headers,
        ...(body !== undefined && { body }),
        signal: abort.signal,
      });
      statusCode = answer.statusCode;
      start = new AnswerStart(answer.headers['content-encoding']);
      const whole = await readAway(answer.body, start, keepsWhole);
      const ok = statusCode >= 200 && statusCode < 300;
      const reason = ok ? null : describeStatus(statusCode);
      return { ok, statusCode, error: reason, answer: start.text(), whole, aborted: false };
    } catch (error) {
      if (signal.aborted) return { ok: false, statusCode: null, error: null, aborted: true };
      const reason = abort.signal.aborted
        ? `No complete answer came within ${this.#timeoutMs / 1000} seconds.`
        : describeError(error);
      return { ok: false, statusCode, error: reason, answer: start?.text(), aborted: false };
    } finally {
      clearTimeout(timer);
      unlisten();
    }
  }

  async close(): Promise<void> {
    await this.#http.close();
  }
}

/** @returns the whole of it, where that is kept; null of one that is longer than what is read */
async function readAway(
  body: Dispatcher.ResponseData['body'],
  start: AnswerStart,
  keepsWhole: boolean,
): Promise<string | null> {
  let read = 0;
  const kept: Buffer[] = [];
  for await (const chunk of body) {
    start.add(chunk as Buffer);
    if (keepsWhole) kept.push(chunk as Buffer);
    read += (chunk as Buffer).length;
    // Leaving the loop ends the connection.
    if (read > BODY_LIMIT) return null;
  }
  return keepsWhole && start.isReadable ? Buffer.concat(kept).toString('utf8') : null;
}

function describeStatus(statusCode: number): string {
  return statusCode >= 300 && statusCode < 400
    ? `The endpoint answered ${statusCode}; redirects are not followed.`
    : `The endpoint answered ${statusCode}.`;
}

/** The same whether a name is unknown or private: else anybody could ask which names this network knows. */
const NO_ADDRESS = 'The host has no address that may be called.';

/** Texts by error code. Addresses that a name resolved to must not be told, so no message is passed on. */
const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: NO_ADDRESS,
  ENODATA: NO_ADDRESS,
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed before an answer came.',
  EPIPE: 'The connection was closed before an answer came.',
  UND_ERR_SOCKET: 'The connection was closed before an answer came.',
  ETIMEDOUT: 'The connection could not be made in time.',
  UND_ERR_CONNECT_TIMEOUT: 'The connection could not be made in time.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The host cannot be reached.',
};

function describeError(error: unknown): string {
  const all = [error, ...(error instanceof AggregateError ? error.errors : [])] as (NodeJS.ErrnoException | null)[];
  if (all.some((each) => each instanceof PrivateAddressError)) return NO_ADDRESS;
  const lookup = all.find((each) => each instanceof NameLookupError);
  if (lookup) return `The host's name could not be looked up (DNS: ${lookup.reason}).`;
  if (error instanceof Error && error.name === 'HTTPParserError') return 'The answer is not HTTP.';
  const code = all.map((each) => each?.code).find((each) => each !== undefined);
  if (code === undefined) return 'The request could not be sent.';
  const known = REASONS[code];
  if (known) return known;
  if (code.startsWith('UND_ERR_HEADERS') || code.startsWith('UND_ERR_RESPONSE')) return 'The answer could not be read.';
  if (/^(?:CERT_|ERR_TLS|ERR_SSL|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_|EPROTO)/.test(code)) {
    return `The TLS connection could not be made (${code}).`;
  }
  if (/^E[A-Z]+$/.test(code)) return `The request could not be sent (${code}).`;
  return 'The request could not be sent.';
}
