import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface VendorRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: string;
}

/** `cut` closes the connection without a response. */
export type VendorResponse = { status: number; body?: unknown; headers?: Readonly<Record<string, string>> } | 'cut';

export class VendorStub {
  readonly requests: VendorRequest[] = [];
  respond: (request: VendorRequest) => VendorResponse | Promise<VendorResponse> = () => ({ status: 200, body: {} });
  #server: Server | null = null;
  #port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get lastForm(): Record<string, string> {
    return Object.fromEntries(new URLSearchParams(this.lastRequest.body));
  }

  get lastRequest(): VendorRequest {
    const lastRequest = this.requests.at(-1);
    if (!lastRequest) throw new Error('the vendor received no request');
    return lastRequest;
  }

  /** Starts the stub, which keeps its port when it is restarted. */
  async start(): Promise<void> {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const url = new URL(request.url ?? '/', this.url);
      const vendorRequest: VendorRequest = {
        method: request.method ?? '',
        path: url.pathname,
        query: url.searchParams,
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      };
      this.requests.push(vendorRequest);
      respond(response, await this.respond(vendorRequest));
    });
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (!server) return;
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}

function respond(response: ServerResponse, vendorResponse: VendorResponse): void {
  if (vendorResponse === 'cut') {
    response.socket?.destroy();
    return;
  }
  const { status, body = '', headers } = vendorResponse;
  const isText = typeof body === 'string';
  response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json', ...headers });
  response.end(isText ? body : JSON.stringify(body));
}
