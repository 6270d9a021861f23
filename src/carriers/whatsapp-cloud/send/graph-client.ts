import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  type CallSink,
  type HttpAnswer,
  type HttpCall,
  HttpClient,
  type OpenAnswer,
  objectIn,
  type StreamedContent,
} from '../../http/client.js';

/** Longest answer that is read, in bytes: a page of templates is the largest. */
const ANSWER_LIMIT = 8 * 1024 * 1024;
/** For a file of 100 MB on a line of 4 Mbit/s. */
const UPLOAD_TIMEOUT_MS = 300_000;

/** A call of Meta's Graph API. */
export interface GraphCall {
  method: 'GET' | 'POST' | 'DELETE';
  /** After the version, without a leading slash, e.g. `106540352242922/messages`. */
  path: string;
  query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body?: object;
  /** Sent in place of it, from its beginning (Meta, "Resumable Upload API"). */
  file?: StreamedContent;
  /** Sent as bearer. */
  token: string;
  /** The message that it is to send. */
  messageId?: string;
  /** As in `HttpCall`. */
  leaving?(): void;
}

/** A file that is handed over. */
export interface GraphUpload {
  path: string;
  token: string;
  file: { bytes: Readable; size: number; mimeType: string; filename: string };
  fields: Readonly<Record<string, string>>;
  signal: AbortSignal;
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
  /** Hosts whose private addresses may be called: those of CARRIER_PRIVATE_HOSTS. */
  privateHosts: readonly string[];
}

/** Meta's Graph API, in one version of it. */
export class GraphClient {
  readonly #root: string;
  readonly #client: HttpClient;

  constructor({ baseUrl, version, timeoutMs, calls, privateHosts }: GraphClientOptions) {
    this.#root = `${baseUrl}/${version}`;
    this.#client = new HttpClient({ timeoutMs, answerLimit: ANSWER_LIMIT, calls, privateHosts });
  }

  /** @throws {NoAnswer} when no complete answer came */
  async call({
    method,
    path,
    query = {},
    body: json,
    file,
    token,
    messageId,
    leaving,
  }: GraphCall): Promise<GraphAnswer> {
    const url = new URL(`${this.#root}/${path}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    // Uploads ask for a scheme of their own.
    const authorization = `${file ? 'OAuth' : 'Bearer'} ${token}`;
    const answer = await this.#client.call({
      ...{ method, url, authorization },
      ...(json && { json }),
      ...(file && { stream: file, headers: { file_offset: '0' }, timeoutMs: UPLOAD_TIMEOUT_MS }),
      ...(messageId !== undefined && { messageId }),
      ...(leaving && { leaving }),
    });
    return { status: answer.status, headers: answer.headers, body: objectIn(answer) };
  }

  /**
   * Hands a file over, as a form (RFC 7578) of fields and the file, which is read as it is sent, and destroyed in the end.
   * @throws {NoAnswer} when no complete answer came
   */
  async upload({ path, token, file, fields, signal }: GraphUpload): Promise<GraphAnswer> {
    const { head, tail, boundary } = formAround(fields, file);
    const call: HttpCall = {
      ...{ method: 'POST', url: new URL(`${this.#root}/${path}`), authorization: `Bearer ${token}`, signal },
      stream: {
        type: `multipart/form-data; boundary=${boundary}`,
        length: head.length + file.size + tail.length,
        bytes: Readable.from(joined(head, file.bytes, tail), { objectMode: false }),
      },
      timeoutMs: UPLOAD_TIMEOUT_MS,
    };
    // A form of which nothing was read is destroyed without the file in it.
    const answer = await this.#client.call(call).finally(() => file.bytes.destroy());
    return { status: answer.status, headers: answer.headers, body: objectIn(answer) };
  }

  /** Asks for a file at the address that Meta gave. @throws {NoAnswer} when none began to come */
  download(url: URL, token: string, signal: AbortSignal): Promise<OpenAnswer> {
    return this.#client.open({ url, authorization: `Bearer ${token}`, signal });
  }

  /** Ends every connection; calls under way get no answer. */
  close(): Promise<void> {
    return this.#client.close();
  }
}

/** What of a form stands before a file, and what after it. */
function formAround(fields: GraphUpload['fields'], { mimeType, filename }: GraphUpload['file']) {
  const boundary = randomBytes(16).toString('hex');
  // A quote or a line end would end the name (RFC 7578 §4.2).
  const name = filename.replace(/["\r\n]/g, '_');
  const parts = Object.entries(fields).map(
    ([field, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`,
  );
  const file = `Content-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ${mimeType}`;
  return {
    boundary,
    head: Buffer.from(`${parts.join('')}--${boundary}\r\n${file}\r\n\r\n`),
    tail: Buffer.from(`\r\n--${boundary}--\r\n`),
  };
}

async function* joined(head: Buffer, bytes: Readable, tail: Buffer): AsyncGenerator<Buffer> {
  yield head;
  yield* bytes;
  yield tail;
}
