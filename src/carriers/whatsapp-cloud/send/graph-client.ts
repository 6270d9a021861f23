import { Agent, type Dispatcher, request } from 'undici';

/** Longest answer that is read, in bytes: a page of templates is the largest. */
const ANSWER_LIMIT = 8 * 1024 * 1024;
/** Connections of one process to Meta. One carries one request at a time. */
const CONNECTIONS = 256;
/** Shorter than Meta keeps an idle connection: a request on one that the other side just closed would be lost. */
const KEEP_ALIVE_MS = 4_000;

/** A call of Meta's Graph API. */
export interface GraphCall {
  method: 'GET' | 'POST' | 'DELETE';
  /** After the version, without a leading slash, e.g. `106540352242922/messages`. */
  path: string;
  query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body?: object;
  /** Sent as bearer. */
  token: string;
  /** Ends the call. One that has left is not taken back by it, its answer is lost. */
  signal?: AbortSignal;
}

export interface GraphAnswer {
  /** HTTP status. */
  status: number;
  /** The parsed answer; null when it is not a JSON object. */
  body: Readonly<Record<string, unknown>> | null;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A call without an answer. */
export class NoAnswer extends Error {
  /** Whether anything of the request may have reached Meta. */
  readonly left: boolean;
  /** Code of the failure: a `TIMEOUT` of our own, or that of Node.js or undici. */
  readonly code: string;

  constructor(code: string, left: boolean, cause: unknown) {
    super(left ? `no answer came (${code})` : `no connection could be made (${code})`, { cause });
    this.name = 'NoAnswer';
    this.code = code;
    this.left = left;
  }
}

export interface GraphClientOptions {
  /** Scheme and host, e.g. `https://graph.facebook.com`. */
  baseUrl: string;
  /** E.g. `v26.0`. */
  version: string;
  /** For a whole call: connection, request and answer. */
  timeoutMs: number;
}

/**
 * HTTP to Meta's Graph API. It follows no redirect and repeats nothing: the caller knows whether a repetition is
 * harmless, and `NoAnswer.left` says whether the request may have arrived.
 */
export class GraphClient {
  readonly #options: GraphClientOptions;
  readonly #agent: Agent;

  constructor(options: GraphClientOptions) {
    this.#options = options;
    this.#agent = new Agent({
      connections: CONNECTIONS,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      // The deadline of the whole call decides.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: options.timeoutMs },
    });
  }

  /**
   * @param call without a version, which the client adds
   * @throws {NoAnswer} when no complete answer came
   */
  async call(call: GraphCall): Promise<GraphAnswer> {
    const { baseUrl, version, timeoutMs } = this.#options;
    const url = new URL(`${baseUrl}/${version}/${call.path}`);
    for (const [name, value] of Object.entries(call.query ?? {})) url.searchParams.set(name, value);
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), timeoutMs);
    const signal = call.signal ? AbortSignal.any([deadline.signal, call.signal]) : deadline.signal;
    const departure = { left: false };
    try {
      const answer = await request(url, {
        dispatcher: this.#agent.compose(noteDeparture(departure)),
        method: call.method,
        headers: {
          authorization: `Bearer ${call.token}`,
          accept: 'application/json',
          ...(call.body && { 'content-type': 'application/json' }),
        },
        body: call.body ? JSON.stringify(call.body) : null,
        signal,
      });
      return { status: answer.statusCode, headers: answer.headers, body: await readObject(answer.body) };
    } catch (error) {
      const code = deadline.signal.aborted ? 'TIMEOUT' : call.signal?.aborted ? 'ABORTED' : codeOf(error);
      throw new NoAnswer(code, departure.left, error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends every connection; calls under way get no answer. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

/** Notes the moment before the first byte of a request is written to a connection that stands. */
function noteDeparture(departure: { left: boolean }): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart: (controller, context) => {
        departure.left = true;
        handler.onRequestStart?.(controller, context);
      },
      onRequestUpgrade: (...args) => handler.onRequestUpgrade?.(...args),
      onResponseStart: (...args) => handler.onResponseStart?.(...args),
      onResponseData: (...args) => handler.onResponseData?.(...args),
      onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
      onResponseError: (...args) => handler.onResponseError?.(...args),
    });
}

async function readObject(body: Dispatcher.ResponseData['body']): Promise<GraphAnswer['body']> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += (chunk as Buffer).length;
    if (length > ANSWER_LIMIT) throw Object.assign(new Error('the answer is too long'), { code: 'ANSWER_TOO_LONG' });
    chunks.push(chunk as Buffer);
  }
  try {
    const parsed: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? (parsed as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

function codeOf(error: unknown): string {
  const all = [error, ...(error instanceof AggregateError ? error.errors : [])] as (NodeJS.ErrnoException | null)[];
  return all.map((each) => each?.code).find((code) => typeof code === 'string') ?? 'UNKNOWN';
}
