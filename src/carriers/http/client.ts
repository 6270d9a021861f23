import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { GuardedHttp } from '../../platform/net/guarded-http.js';
import { onAbort } from '../../platform/on-abort.js';

/** Connections of one client. One carries one request at a time. */
export const CONNECTIONS = 256;
/** Shorter than servers keep an idle connection: a request on one that the other side just closed would be lost. */
const KEEP_ALIVE_MS = 4_000;
/** Longest answer that is read, in bytes, unless told. */
const ANSWER_LIMIT = 1024 * 1024;

/** A call of a carrier over HTTP. */
export interface HttpCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: URL;
  /** E.g. `Bearer …`. It stands in no error. */
  authorization?: string;
  /** What is sent, as JSON or as a form (`application/x-www-form-urlencoded`); nothing unless told. */
  json?: object;
  form?: Readonly<Record<string, string>>;
  /** What is sent as it is. */
  text?: { type: string; body: string };
  /** Further headers. */
  headers?: Readonly<Record<string, string>>;
  /** Sent as it is read, whole. */
  stream?: StreamedContent;
  /** Ends it beside the deadline of the client. */
  signal?: AbortSignal;
  /** Of this call, where it may take longer than others. */
  timeoutMs?: number;
  /** The message that it is to send, by which an operator finds it. */
  messageId?: string;
  /**
   * Called once a connection is there, before the first byte is written. What it throws ends the call, of which nothing has
   * left, and is thrown on.
   */
  leaving?(): void;
}

/** What is sent without being held in memory. */
export interface StreamedContent {
  type: string;
  /** In bytes. */
  length: number;
  bytes: Readable;
}

/** An answer whose body is still to come. */
export interface OpenAnswer extends Omit<HttpAnswer, 'text'> {
  /** To be read to its end, or destroyed. */
  body: Readable;
}

export interface HttpAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** As it came, in UTF-8. */
  text: string;
}

/** A call, and what came of it. */
export interface HttpTry {
  call: HttpCall;
  /** What was sent, of a file its size; null: nothing. */
  content: string | null;
  /** Null: no whole one came. */
  answer: HttpAnswer | null;
  /** Code of why none came, as of `NoAnswer`; null: one came. */
  failure: string | null;
  milliseconds: number;
}

/** Who is told of every call. It must not throw. */
export interface CallSink {
  note(tried: HttpTry): void;
}

/** For calls that nobody reads of later, such as those of a check, which says itself what it found. */
export const UNLOGGED: CallSink = { note: () => undefined };

/** A call without a whole answer. */
export class NoAnswer extends Error {
  /** Whether anything of the request may have reached the other side. */
  readonly left: boolean;
  /** Code of the failure: `TIMEOUT` or `ANSWER_TOO_LONG` of our own, or that of Node.js or undici. */
  readonly code: string;

  constructor(code: string, left: boolean, cause: unknown) {
    super(left ? `no answer came (${code})` : `no connection could be made (${code})`, { cause });
    this.name = 'NoAnswer';
    this.code = code;
    this.left = left;
  }
}

export interface HttpClientOptions {
  /** For a whole call, in milliseconds: connection, request and answer. */
  timeoutMs: number;
  /** Longest answer that is read, in bytes; 1 MiB unless told. */
  answerLimit?: number;
  /** Hosts whose private addresses may be called: those of CARRIER_PRIVATE_HOSTS. */
  privateHosts: readonly string[];
  calls: CallSink;
}

/**
 * HTTP to a carrier. It follows no redirect and repeats nothing: the caller knows whether a repetition is harmless, and
 * `NoAnswer.left` says whether the request may have arrived.
 */
export class HttpClient {
  readonly #options: HttpClientOptions;
  readonly #http: GuardedHttp;

  constructor(options: HttpClientOptions) {
    this.#options = options;
    this.#http = new GuardedHttp({
      reach: { privateHosts: options.privateHosts },
      connectTimeoutMs: options.timeoutMs,
      agent: {
        connections: CONNECTIONS,
        pipelining: 1,
        keepAliveTimeout: KEEP_ALIVE_MS,
        keepAliveMaxTimeout: KEEP_ALIVE_MS,
        // The deadline of the whole call decides.
        headersTimeout: 0,
        bodyTimeout: 0,
      },
    });
  }

  /** @throws {NoAnswer} when no complete answer came */
  async call(call: HttpCall): Promise<HttpAnswer> {
    const { answerLimit = ANSWER_LIMIT, calls } = this.#options;
    const began = performance.now();
    const end = new AbortController();
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      end.abort();
    }, call.timeoutMs ?? this.#options.timeoutMs);
    const unlisten = call.signal && onAbort(call.signal, () => end.abort(call.signal?.reason));
    const departure: Departing = { left: false, leaving: call.leaving };
    const content = contentOf(call);
    const note = (answer: HttpAnswer | null, failure: string | null) =>
      calls.note({ call, content: content?.told ?? null, answer, failure, milliseconds: performance.now() - began });
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
        signal: end.signal,
      };
      const { statusCode, headers, body } = await this.#http.request(call.url, options, noteDeparture(departure));
      const answer = { status: statusCode, headers, text: await readText(body, answerLimit) };
      note(answer, null);
      return answer;
    } catch (error) {
      if (departure.withheld !== undefined) throw departure.withheld;
      const code = late ? 'TIMEOUT' : codeOf(error);
      note(null, code);
      throw new NoAnswer(code, departure.left, error);
    } finally {
      clearTimeout(timer);
      unlisten?.();
    }
  }

  /**
   * Asks for something large, whose bytes are read as they come.
   * @throws {NoAnswer} when none began to come in time; whoever reads the body is told when it breaks off
   */
  async open({
    url,
    headers: further,
    authorization,
    signal,
  }: Pick<HttpCall, 'url' | 'headers' | 'authorization'> & { signal: AbortSignal }): Promise<OpenAnswer> {
    const { timeoutMs, calls } = this.#options;
    const began = performance.now();
    const departure: Departing = { left: false };
    const note = (answer: HttpAnswer | null, failure: string | null) =>
      calls.note({
        call: { method: 'GET', url },
        content: null,
        answer,
        failure,
        milliseconds: performance.now() - began,
      });
    try {
      const options = {
        // Meta refuses files to clients without a user agent.
        headers: { ...further, 'user-agent': 'heliograph', ...(authorization !== undefined && { authorization }) },
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
        signal,
      };
      const { statusCode, headers, body } = await this.#http.request(url, options, noteDeparture(departure));
      note({ status: statusCode, headers, text: '' }, null);
      return { status: statusCode, headers, body };
    } catch (error) {
      const code = codeOf(error);
      note(null, code);
      throw new NoAnswer(code, departure.left, error);
    }
  }

  /** Ends every connection; calls under way get no answer. */
  async close(): Promise<void> {
    await this.#http.close();
  }
}

/** Ends an answer that nobody reads. Its body reports that it was ended as an error, which nobody waits for. */
export function discardBody({ body }: Pick<OpenAnswer, 'body'>): void {
  body.on('error', () => undefined);
  body.destroy();
}

/** The JSON object in an answer; null when it holds none. */
export function objectIn({ text }: Pick<HttpAnswer, 'text'>): Readonly<Record<string, unknown>> | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? (parsed as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

function contentOf({ json, form, text }: HttpCall): { type: string; body: string; told: string } | null {
  if (text) return { ...text, told: text.body };
  const type = json ? 'application/json' : 'application/x-www-form-urlencoded';
  const body = json ? JSON.stringify(json) : form && new URLSearchParams(form).toString();
  return body === undefined ? null : { type, body, told: body };
}

/** How far a call has come. */
interface Departing {
  left: boolean;
  leaving?: HttpCall['leaving'];
  /** What `leaving` threw. */
  withheld?: unknown;
}

/** Notes the moment before the first byte of a request is written to a connection that stands. */
function noteDeparture(departure: Departing): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart: (controller, context) => {
        handler.onRequestStart?.(controller, context);
        try {
          departure.leaving?.();
          departure.left = true;
        } catch (error) {
          departure.withheld = error;
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
    if (length > limit) throw Object.assign(new Error('the answer is too long'), { code: 'ANSWER_TOO_LONG' });
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function codeOf(error: unknown): string {
  const all = [error, ...(error instanceof AggregateError ? error.errors : [])] as (NodeJS.ErrnoException | null)[];
  return all.map((each) => each?.code).find((code) => typeof code === 'string') ?? 'UNKNOWN';
}
