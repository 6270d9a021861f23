import { type CallSink, type HttpAnswer, HttpClient, objectIn } from '../../http/client.js';

/** Longest answer that is read, in bytes: a page of templates is the largest. */
const ANSWER_LIMIT = 8 * 1024 * 1024;

/** A call of Meta's Graph API. */
export interface GraphCall {
  method: 'GET' | 'POST' | 'DELETE';
  /** After the version, without a leading slash, e.g. `106540352242922/messages`. */
  path: string;
  query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body?: object;
  /** Sent in place of it, from its beginning (Meta, "Resumable Upload API"). */
  file?: { type: string; data: Buffer };
  /** Sent as bearer. */
  token: string;
  /** The message that it is to send. */
  messageId?: string;
}

export interface GraphAnswer extends Pick<HttpAnswer, 'status' | 'headers'> {
  /** The parsed answer; null when it is not a JSON object. */
  body: Readonly<Record<string, unknown>> | null;
}

export interface GraphClientOptions {
  /** Scheme and host, e.g. `https://graph.facebook.com`. */
  baseUrl: string;
  /** E.g. `v26.0`. */
  version: string;
  /** For a whole call: connection, request and answer. */
  timeoutMs: number;
  calls: CallSink;
}

/** Meta's Graph API, in one version of it. */
export class GraphClient {
  readonly #root: string;
  readonly #client: HttpClient;

  constructor({ baseUrl, version, timeoutMs, calls }: GraphClientOptions) {
    this.#root = `${baseUrl}/${version}`;
    this.#client = new HttpClient({ timeoutMs, answerLimit: ANSWER_LIMIT, calls });
  }

  /** @throws {NoAnswer} when no complete answer came */
  async call({ method, path, query = {}, body: json, file, token, messageId }: GraphCall): Promise<GraphAnswer> {
    const url = new URL(`${this.#root}/${path}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    // Uploads ask for a scheme of their own.
    const authorization = `${file ? 'OAuth' : 'Bearer'} ${token}`;
    const answer = await this.#client.call({
      ...{ method, url, authorization },
      ...(json && { json }),
      ...(file && { file, headers: { file_offset: '0' } }),
      ...(messageId !== undefined && { messageId }),
    });
    return { status: answer.status, headers: answer.headers, body: objectIn(answer) };
  }

  /** Ends every connection; calls under way get no answer. */
  close(): Promise<void> {
    return this.#client.close();
  }
}
