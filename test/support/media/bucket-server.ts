import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const BUCKET = 'messages';

/** Imitates Amazon S3 with one bucket, range requests and multipart uploads. */
export class BucketServer {
  readonly bucket = BUCKET;
  readonly objects = new Map<string, Buffer>();
  readonly uploads = new Map<string, { key: string; parts: Map<number, Buffer> }>();
  /** Set to false to imitate stores that cannot list multipart uploads. */
  canListUploads = true;
  /** Status of every response, unless null. */
  forcedStatus: number | null = null;
  readonly #server: Server = createServer((request, response) => void this.#answer(request, response));

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (this.forcedStatus !== null) return void response.writeHead(this.forcedStatus).end();
    if (!/^AWS4-HMAC-SHA256 Credential=key\//.test(request.headers.authorization ?? '')) {
      return void respondXml(response, 403, '<Error><Code>AccessDenied</Code></Error>');
    }
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://bucket');
    const key = decodeURIComponent(pathname.slice(`/${BUCKET}/`.length));
    this.#route(request, response, { key, query: searchParams, body: Buffer.concat(chunks) });
  }

  #route(
    { method, headers }: IncomingMessage,
    response: ServerResponse,
    { key, query, body }: { key: string; query: URLSearchParams; body: Buffer },
  ): unknown {
    const upload = this.uploads.get(query.get('uploadId') ?? '');
    if (query.has('uploads') && method === 'GET' && !this.canListUploads) {
      return respondXml(response, 501, '<Error><Code>NotImplemented</Code></Error>');
    }
    if (method === 'GET' && query.has('uploads')) return this.#list(response, query.get('prefix') ?? '');
    if (method === 'POST' && query.has('uploads')) {
      const id = randomBytes(8).toString('hex');
      this.uploads.set(id, { key, parts: new Map() });
      return respondXml(
        response,
        200,
        `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      );
    }
    if (method === 'PUT' && upload) {
      upload.parts.set(Number(query.get('partNumber')), body);
      return void response.writeHead(200, { etag: `"${query.get('partNumber')}"` }).end();
    }
    if (method === 'POST' && upload) {
      const parts = [...upload.parts].sort(([a], [b]) => a - b).map(([, part]) => part);
      this.objects.set(key, Buffer.concat(parts));
      this.uploads.delete(query.get('uploadId') ?? '');
      return respondXml(
        response,
        200,
        '<CompleteMultipartUploadResult><ETag>"x"</ETag></CompleteMultipartUploadResult>',
      );
    }
    if (method === 'DELETE' && query.has('uploadId')) {
      this.uploads.delete(query.get('uploadId') ?? '');
      return void response.writeHead(204).end();
    }
    if (method === 'DELETE') {
      this.objects.delete(key);
      return void response.writeHead(204).end();
    }
    if (method === 'PUT') {
      this.objects.set(key, body);
      return void response.writeHead(200, { etag: '"x"' }).end();
    }
    const object = this.objects.get(key);
    if (!object) return respondXml(response, 404, '<Error><Code>NoSuchKey</Code></Error>');
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
    if (start === undefined) return void response.writeHead(200, { 'content-length': object.length }).end(object);
    const part = object.subarray(Number(start), Number(end) + 1);
    response.writeHead(206, { 'content-length': part.length }).end(part);
  }

  #list(response: ServerResponse, prefix: string): void {
    const matching = [...this.uploads].filter(([, { key }]) => key.startsWith(prefix));
    const entries = matching.map(([id, { key }]) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId></Upload>`);
    respondXml(response, 200, `<ListMultipartUploadsResult>${entries.join('')}</ListMultipartUploadsResult>`);
  }
}

function respondXml(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' }).end(`<?xml version="1.0"?>${text}`);
}
