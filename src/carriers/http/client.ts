import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { GuardedHttp } from '../../platform/net/guarded-http.js';
import { onAbort } from '../../platform/on-abort.js';

export const MAX_CONNECTIONS = 256;
/**
 * Idle connections are closed before servers would close them, so that no request is lost on a connection that the server is
 * closing.
 */
const KEEP_ALIVE_MS = 4_000;
/** In bytes. */
const ANSWER_LIMIT = 1024 * 1024;

export interface HttpCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: URL;
  /** Errors never contain the authorization header. */
  authorization?: string;
  json?: object;
  form?: Readonly<Record<string, string>>;
  text?: { type: string; body: string };
  headers?: Readonly<Record<string, string>>;
  stream?: StreamedContent;
  signal?: AbortSignal;
  timeoutMs?: number;
  messageId?: string;
  /** Called before the first byte is written. If `beforeSend` throws, nothing is sent. */
  beforeSend?(): void;
}

/** Not held in memory. */
export interface StreamedContent {
  type: string;
  /** In bytes. */
  length: number;
  bytes: Readable;
}

export interface OpenAnswer extends Omit<HttpAnswer, 'text'> {
  /** The caller must read the body to its end or destroy it. */
  body: Readable;
}

export interface HttpAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Body, decoded as UTF-8. */
  text: string;
}

export interface HttpExchange {
  call: HttpCall;
  content: string | null;
  answer: HttpAnswer | null;
  failure: string | null;
  milliseconds: number;
}

/** Must not throw. */
export interface CallSink {
  record(exchange: HttpExchange): void;
}

export const UNLOGGED: CallSink = { record: () => undefined };

export class NoResponseError extends Error {
  /** True even if only a part of the request may have arrived. */
  readonly mayHaveArrived: boolean;
  /** Error code: `TIMEOUT`, `ANSWER_TOO_LONG`, or a code of Node.js or undici. */
  readonly code: string;

  constructor(code: string, hasLeft: boolean, cause: unknown) {
    super(hasLeft ? `no response (${code})` : `no connection (${code})`, { cause });
    this.name = 'NoResponseError';
    this.code = code;
    this.mayHaveArrived = hasLeft;
  }
}

export interface HttpClientOptions {
  /** Timeout for the whole call, which includes connecting, sending and receiving. */
  timeoutMs: number;
  /** In bytes. Default: 1 MiB. */
  answerLimit?: number;
  /** Hosts that may have private addresses (CARRIER_PRIVATE_HOSTS). */
  privateHosts: readonly string[];
  calls: CallSink;
}

/** The client follows no redirects and never retries, because only its caller knows whether repeating a request is harmless. */
export class HttpClient {
  readonly #options: HttpClientOptions;
  readonly #http: GuardedHttp;

  constructor(options: HttpClientOptions) {
    this.#options = options;
    this.#http = new GuardedHttp({
      privateAccess: { privateHosts: options.privateHosts },
      connectTimeoutMs: options.timeoutMs,
      agent: {
        connections: MAX_CONNECTIONS,
        pipelining: 1,
        keepAliveTimeout: KEEP_ALIVE_MS,
        keepAliveMaxTimeout: KEEP_ALIVE_MS,
        headersTimeout: 0,
        bodyTimeout: 0,
      },
    });
  }

  /** Rejects with a NoResponseError if no complete response arrives. */
  async call(call: HttpCall): Promise<HttpAnswer> {
    const { answerLimit = ANSWER_LIMIT, calls } = this.#options;
    const startedAt = performance.now();
    const abort = new AbortController();
    let isTimedOut = false;
    const timer = setTimeout(() => {
      isTimedOut = true;
      abort.abort();
    }, call.timeoutMs ?? this.#options.timeoutMs);
    const removeListener = call.signal && onAbort(call.signal, () => abort.abort(call.signal?.reason));
    const departure: DepartureState = { hasLeft: false, beforeSend: call.beforeSend };
    const content = serializeBody(call);
    const record = (answer: HttpAnswer | null, failure: string | null) => {
      const milliseconds = performance.now() - startedAt;
      calls.record({ call, content: content?.body ?? null, answer, failure, milliseconds });
    };
    try {
      const options = {
        method: call.method,
        headers: {
          ...call.headers,
          accept: 'application/json',
          ...(call.authorization !== undefined && { authorization: call.authorization }),
          ...(content && { 'content-type': content.type }),
          ...(call.stream && { 'content-type': call.stream.type, 'content-length': String(call.stream.length) }),
        },
        body: call.stream?.bytes ?? content?.body ?? null,
        signal: abort.signal,
      };
      const { statusCode, headers, body } = await this.#http.request(call.url, options, trackDeparture(departure));
      const answer = { status: statusCode, headers, text: await readText(body, answerLimit) };
      record(answer, null);
      return answer;
    } catch (error) {
      if (departure.withheldError !== undefined) throw departure.withheldError;
      const code = isTimedOut ? 'TIMEOUT' : findErrorCode(error);
      record(null, code);
      throw new NoResponseError(code, departure.hasLeft, error);
    } finally {
      clearTimeout(timer);
      removeListener?.();
    }
  }

  /** Rejects with a NoResponseError if no response starts in time. */
  async open({
    url,
    headers: extraHeaders,
    authorization,
    signal,
  }: Pick<HttpCall, 'url' | 'headers' | 'authorization'> & { signal: AbortSignal }): Promise<OpenAnswer> {
    const { timeoutMs, calls } = this.#options;
    const startedAt = performance.now();
    const departure: DepartureState = { hasLeft: false };
    const record = (answer: HttpAnswer | null, failure: string | null) =>
      calls.record({
        call: { method: 'GET', url },
        content: null,
        answer,
        failure,
        milliseconds: performance.now() - startedAt,
      });
    try {
      const options = {
        // Meta refuses downloads without a user agent.
        headers: { ...extraHeaders, 'user-agent': 'heliograph', ...(authorization !== undefined && { authorization }) },
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
        signal,
      };
      const { statusCode, headers, body } = await this.#http.request(url, options, trackDeparture(departure));
      record({ status: statusCode, headers, text: '' }, null);
      return { status: statusCode, headers, body };
    } catch (error) {
      const code = findErrorCode(error);
      record(null, code);
      throw new NoResponseError(code, departure.hasLeft, error);
    }
  }

  /** Pending calls fail. */
  async close(): Promise<void> {
    await this.#http.close();
  }
}

export function discardBody({ body }: Pick<OpenAnswer, 'body'>): void {
  body.on('error', () => undefined);
  body.destroy();
}

export function parseJsonObject({ text }: Pick<HttpAnswer, 'text'>): Readonly<Record<string, unknown>> | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? (parsed as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

function serializeBody({ json, form, text }: HttpCall): { type: string; body: string } | null {
  if (text) return text;
  const type = json ? 'application/json' : 'application/x-www-form-urlencoded';
  const body = json ? JSON.stringify(json) : form && new URLSearchParams(form).toString();
  return body === undefined ? null : { type, body };
}

interface DepartureState {
  hasLeft: boolean;
  beforeSend?: HttpCall['beforeSend'];
  withheldError?: unknown;
}

function trackDeparture(departure: DepartureState): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart: (controller, context) => {
        handler.onRequestStart?.(controller, context);
        try {
          departure.beforeSend?.();
          departure.hasLeft = true;
        } catch (error) {
          departure.withheldError = error;
          controller.abort(error as Error);
        }
      },
      onRequestUpgrade: (...args) => handler.onRequestUpgrade?.(...args),
      onResponseStart: (...args) => handler.onResponseStart?.(...args),
      onResponseData: (...args) => handler.onResponseData?.(...args),
      onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
      onResponseError: (...args) => handler.onResponseError?.(...args),
    });
}

async function readText(body: Dispatcher.ResponseData['body'], limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += (chunk as Buffer).length;
    if (length > limit) throw Object.assign(new Error('the response is too long'), { code: 'ANSWER_TOO_LONG' });
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function findErrorCode(error: unknown): string {
  const errors = [error, ...(error instanceof AggregateError ? error.errors : [])] as (NodeJS.ErrnoException | null)[];
  return errors.map((candidate) => candidate?.code).find((code) => typeof code === 'string') ?? 'UNKNOWN';
}
