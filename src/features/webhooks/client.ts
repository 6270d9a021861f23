import type { Dispatcher } from 'undici';
import { GuardedHttp } from '../../platform/net/guarded-http.js';
import { PrivateAddressError } from '../../platform/net/public-connector.js';
import { NameLookupError, type Resolve } from '../../platform/net/resolver.js';
import { onAbort } from '../../platform/on-abort.js';
import { ResponseStart } from './response-start.js';

export const USER_AGENT = 'Heliograph-Webhooks';
/** Limit for DNS lookup, connection, request and response together. */
export const ATTEMPT_TIMEOUT_MS = 15_000;
/** Response bodies are read up to this many bytes so that the connection can be reused. */
const BODY_LIMIT = 64 * 1024;
const KEEP_ALIVE_MS = 4_000;

export interface AttemptOutcome {
  ok: boolean;
  /** Null without a response. */
  statusCode: number | null;
  /** Error text without IP addresses, because the webhook's owner can read it. */
  error: string | null;
  /** Start of the response body, if the body is text. */
  answer?: string | null | undefined;
  /** Whole response body if `keepsBody` is set; null if the body is compressed or too long. */
  responseBody?: string | null | undefined;
  /** Whether the attempt was aborted because the process is stopping, which does not affect the endpoint's health. */
  aborted: boolean;
}

export interface WebhookRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  signal: AbortSignal;
  keepsBody?: boolean;
}

/** Signal for requests that must not be aborted when the process stops, because a caller waits for them. */
const NEVER_ABORTED = new AbortController().signal;

/** Never rejects. */
export type Post = (request: WebhookRequest) => Promise<AttemptOutcome>;

export interface WebhookClientOptions {
  allowPrivate: boolean;
  /** Default: DNS. */
  resolve?: Resolve;
  timeoutMs?: number;
}

/**
 * HTTP client for URLs that customers choose. The client follows no redirects, ignores proxy settings, and by default
 * connects only to public addresses. Connections per host are unlimited, because the deliverer limits concurrency.
 */
export class WebhookClient {
  readonly #http: GuardedHttp;
  readonly #timeoutMs: number;

  constructor({ allowPrivate, resolve, timeoutMs = ATTEMPT_TIMEOUT_MS }: WebhookClientOptions) {
    this.#timeoutMs = timeoutMs;
    this.#http = new GuardedHttp({
      privateAccess: { allowPrivate, resolve },
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
    return this.#send('POST', request);
  }

  /** Never rejects. */
  get(url: string): Promise<AttemptOutcome> {
    return this.#send('GET', { url, headers: { 'user-agent': USER_AGENT }, signal: NEVER_ABORTED });
  }

  async #send(
    method: 'GET' | 'POST',
    { url, headers, body, signal, keepsBody = false }: Omit<WebhookRequest, 'body'> & { body?: string },
  ): Promise<AttemptOutcome> {
    const abort = new AbortController();
    const stop = () => abort.abort();
    const timer = setTimeout(stop, this.#timeoutMs);
    const unlisten = onAbort(signal, stop);
    let statusCode: number | null = null;
    let responseStart: ResponseStart | null = null;
    try {
      signal.throwIfAborted();
      const answer = await this.#http.request(url, {
        method,
        headers,
        ...(body !== undefined && { body }),
        signal: abort.signal,
      });
      statusCode = answer.statusCode;
      responseStart = new ResponseStart(answer.headers['content-encoding']);
      const responseBody = await readBody(answer.body, responseStart, keepsBody);
      const ok = statusCode >= 200 && statusCode < 300;
      const reason = ok ? null : describeStatus(statusCode);
      return { ok, statusCode, error: reason, answer: responseStart.getText(), responseBody, aborted: false };
    } catch (error) {
      if (signal.aborted) return { ok: false, statusCode: null, error: null, aborted: true };
      const reason = abort.signal.aborted
        ? `No complete response within ${this.#timeoutMs / 1000} seconds.`
        : describeError(error);
      return { ok: false, statusCode, error: reason, answer: responseStart?.getText(), aborted: false };
    } finally {
      clearTimeout(timer);
      unlisten();
    }
  }

  async close(): Promise<void> {
    await this.#http.close();
  }
}

async function readBody(
  body: Dispatcher.ResponseData['body'],
  start: ResponseStart,
  keepsBody: boolean,
): Promise<string | null> {
  let bytesRead = 0;
  const chunks: Buffer[] = [];
  for await (const chunk of body) {
    start.add(chunk as Buffer);
    if (keepsBody) chunks.push(chunk as Buffer);
    bytesRead += (chunk as Buffer).length;
    // Returning from the loop closes the connection.
    if (bytesRead > BODY_LIMIT) return null;
  }
  return keepsBody && start.isReadable ? Buffer.concat(chunks).toString('utf8') : null;
}

function describeStatus(statusCode: number): string {
  return statusCode >= 300 && statusCode < 400
    ? `The endpoint answered ${statusCode}; redirects are not followed.`
    : `The endpoint answered ${statusCode}.`;
}

/** Unknown and private hosts get the same text, so that customers cannot find out which names this network resolves. */
const NO_ADDRESS = 'The host has no public address.';

/** The original error messages are not shown, because they contain the resolved addresses. */
const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: NO_ADDRESS,
  ENODATA: NO_ADDRESS,
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed before the response was complete.',
  EPIPE: 'The connection was closed before the response was complete.',
  UND_ERR_SOCKET: 'The connection was closed before the response was complete.',
  ETIMEDOUT: 'Connecting took too long.',
  UND_ERR_CONNECT_TIMEOUT: 'Connecting took too long.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The host cannot be reached.',
};

function describeError(error: unknown): string {
  const errors = [error, ...(error instanceof AggregateError ? error.errors : [])] as (NodeJS.ErrnoException | null)[];
  if (errors.some((each) => each instanceof PrivateAddressError)) return NO_ADDRESS;
  const lookup = errors.find((each) => each instanceof NameLookupError);
  if (lookup) return `The host name could not be resolved (DNS: ${lookup.reason}).`;
  if (error instanceof Error && error.name === 'HTTPParserError') return 'The response is not HTTP.';
  const code = errors.map((each) => each?.code).find((each) => each !== undefined);
  if (code === undefined) return 'The request could not be sent.';
  const reason = REASONS[code];
  if (reason) return reason;
  if (code.startsWith('UND_ERR_HEADERS') || code.startsWith('UND_ERR_RESPONSE'))
    return 'The response could not be read.';
  if (/^(?:CERT_|ERR_TLS|ERR_SSL|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_|EPROTO)/.test(code)) {
    return `The TLS connection failed (${code}).`;
  }
  if (/^E[A-Z]+$/.test(code)) return `The request could not be sent (${code}).`;
  return 'The request could not be sent.';
}
