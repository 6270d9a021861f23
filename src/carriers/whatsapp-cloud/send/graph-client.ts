import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  type CallSink,
  type HttpAnswer,
  type HttpCall,
  HttpClient,
  type OpenAnswer,
  parseJsonObject,
  type StreamedContent,
} from '../../http/client.js';

/** Maximum size of a response, large enough for a page of templates, which is the largest response. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
/** Long enough to upload 100 MB at 4 Mbit/s. */
const UPLOAD_TIMEOUT_MS = 300_000;

export interface GraphCall {
  method: 'GET' | 'POST' | 'DELETE';
  /** Path without the version and the leading slash, for example `106540352242922/messages`. */
  path: string;
  query?: Readonly<Record<string, string>>;
  body?: object;
  /** The file is sent instead of `body`, starting at offset 0 (Meta, "Resumable Upload API"). */
  file?: StreamedContent;
  token: string;
  messageId?: string;
  /** See `HttpCall`. */
  beforeSend?(): void;
}

export interface GraphUpload {
  path: string;
  token: string;
  file: { bytes: Readable; size: number; mimeType: string; filename: string };
  fields: Readonly<Record<string, string>>;
  signal: AbortSignal;
}

export interface GraphAnswer extends Pick<HttpAnswer, 'status' | 'headers'> {
  /** Response body, or null if the body is not a JSON object. */
  body: Readonly<Record<string, unknown>> | null;
}

export interface GraphClientOptions {
  /** E.g. `https://graph.facebook.com`. */
  baseUrl: string;
  /** E.g. `v26.0`. */
  version: string;
  /** For the whole call. */
  timeoutMs: number;
  calls: CallSink;
  /** Hosts that may have private addresses (CARRIER_PRIVATE_HOSTS). */
  privateHosts: readonly string[];
}

export class GraphClient {
  readonly #root: string;
  readonly #client: HttpClient;

  constructor({ baseUrl, version, timeoutMs, calls, privateHosts }: GraphClientOptions) {
    this.#root = `${baseUrl}/${version}`;
    this.#client = new HttpClient({ timeoutMs, answerLimit: MAX_ANSWER_BYTES, calls, privateHosts });
  }

  /** @throws {NoResponseError} */
  async call({
    method,
    path,
    query = {},
    body: json,
    file,
    token,
    messageId,
    beforeSend,
  }: GraphCall): Promise<GraphAnswer> {
    const url = new URL(`${this.#root}/${path}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    // The Resumable Upload API requires the authorization scheme OAuth.
    const authorization = `${file ? 'OAuth' : 'Bearer'} ${token}`;
    const answer = await this.#client.call({
      ...{ method, url, authorization },
      ...(json && { json }),
      ...(file && { stream: file, headers: { file_offset: '0' }, timeoutMs: UPLOAD_TIMEOUT_MS }),
      ...(messageId !== undefined && { messageId }),
      ...(beforeSend && { beforeSend }),
    });
    return { status: answer.status, headers: answer.headers, body: parseJsonObject(answer) };
  }

  /**
   * Uploads the file as a multipart form (RFC 7578), and always destroys the file stream.
   * @throws {NoResponseError}
   */
  async upload({ path, token, file, fields, signal }: GraphUpload): Promise<GraphAnswer> {
    const { head, tail, boundary } = buildFormEnds(fields, file);
    const call: HttpCall = {
      ...{ method: 'POST', url: new URL(`${this.#root}/${path}`), authorization: `Bearer ${token}`, signal },
      stream: {
        type: `multipart/form-data; boundary=${boundary}`,
        length: head.length + file.size + tail.length,
        bytes: Readable.from(concatenate(head, file.bytes, tail), { objectMode: false }),
      },
      timeoutMs: UPLOAD_TIMEOUT_MS,
    };
    // The file stream must be destroyed here, because destroying a form that was never read does not destroy the file.
    const answer = await this.#client.call(call).finally(() => file.bytes.destroy());
    return { status: answer.status, headers: answer.headers, body: parseJsonObject(answer) };
  }

  /** @throws {NoResponseError} if no response arrived */
  download(url: URL, token: string, signal: AbortSignal): Promise<OpenAnswer> {
    return this.#client.open({ url, authorization: `Bearer ${token}`, signal });
  }

  /** Pending calls fail. */
  close(): Promise<void> {
    return this.#client.close();
  }
}

function buildFormEnds(fields: GraphUpload['fields'], { mimeType, filename }: GraphUpload['file']) {
  const boundary = randomBytes(16).toString('hex');
  // Quotes and line breaks are replaced, because they would end the file name (RFC 7578 §4.2).
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

async function* concatenate(head: Buffer, bytes: Readable, tail: Buffer): AsyncGenerator<Buffer> {
  yield head;
  yield* bytes;
  yield tail;
}
