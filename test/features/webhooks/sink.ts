import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedEvent {
  path: string;
  headers: Record<string, string>;
  body: string;
  event: { type: string; timestamp: string; data: Record<string, unknown> };
}

export type Respond = (received: ReceivedEvent, response: ServerResponse) => void;

/** A customer's endpoint, simulated by a local HTTP server that records its requests. */
export interface Sink {
  url: string;
  port: number;
  received: ReceivedEvent[];
  /** `open` is the number of current requests, and `mostOpen` its maximum so far. */
  open: number;
  mostOpen: number;
  /** Default: 204. */
  respond: Respond;
  close(): Promise<void>;
}

export async function openSink(respond: Respond = (_, response) => respondWith(response, 204)): Promise<Sink> {
  const server = createServer((request, response) => {
    sink.open += 1;
    sink.mostOpen = Math.max(sink.mostOpen, sink.open);
    response.once('close', () => {
      sink.open -= 1;
    });
    void readEvent(request).then((event) => {
      sink.received.push(event);
      sink.respond(event, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sink: Sink = {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received: [],
    open: 0,
    mostOpen: 0,
    respond,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return sink;
}

export function respondWith(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  response.writeHead(status, headers).end();
}

async function readEvent(request: IncomingMessage): Promise<ReceivedEvent> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString();
  return {
    path: request.url ?? '',
    headers: request.headers as Record<string, string>,
    body,
    event: JSON.parse(body),
  };
}
