import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface HoldingProxy {
  url: string;
  /** Resolves with the chosen statement once PostgreSQL has executed it, although the client never gets the answer. */
  heldStatement: Promise<string>;
  close(): Promise<void>;
}

/**
 * Starts a PostgreSQL proxy that withholds the answer to one statement, and all later answers, from the client.
 * @param choose `true` chooses the statement, after which the function is not called again
 */
export async function startHoldingProxy(url: string, choose: (text: string) => boolean): Promise<HoldingProxy> {
  const { hostname: host, port, searchParams } = new URL(url);
  const folder = searchParams.get('host');
  const sockets = new Set<Socket>();
  let resolveHeld: (text: string) => void = () => undefined;
  const heldStatement = new Promise<string>((resolve) => {
    resolveHeld = resolve;
  });
  let isChosen = false;
  const server = createServer((downstream) => {
    const upstream = connect(folder === null ? { host, port: Number(port) } : { path: `${folder}/.s.PGSQL.${port}` });
    let chosen: string | null = null;
    const readRequest = createReader({ hasStartup: true }, (type, body) => {
      const text = parseSql(type, body);
      if (text === null || isChosen || !choose(text)) return;
      isChosen = true;
      chosen = text;
    });
    const readResponse = createReader({ hasStartup: false }, (type) => {
      if (type === 'Z' && chosen !== null) resolveHeld(chosen);
    });
    downstream.on('data', (data) => {
      readRequest(data);
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      readResponse(data);
      if (chosen === null) downstream.write(data);
    });
    for (const [socket, otherSocket] of [
      [downstream, upstream],
      [upstream, downstream],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        otherSocket.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxyUrl = new URL(url);
  proxyUrl.hostname = '127.0.0.1';
  proxyUrl.searchParams.delete('host');
  proxyUrl.port = String((server.address() as AddressInfo).port);
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  };
  return { url: proxyUrl.toString(), heldStatement, close };
}

/** Extracts the SQL of a simple query or a parse message (version 3 of PostgreSQL's protocol). */
function parseSql(type: string, body: Buffer): string | null {
  if (type === 'Q') return body.toString('utf8', 0, body.length - 1);
  if (type !== 'P') return null;
  const [, text = ''] = body.toString('utf8').split('\0');
  return text;
}

/** Reads PostgreSQL messages: a letter (except in a client's first message), four bytes of length, and a body. */
function createReader({ hasStartup }: { hasStartup: boolean }, onMessage: (type: string, body: Buffer) => void) {
  let buffered = Buffer.alloc(0);
  let typeLength = hasStartup ? 0 : 1;
  return (data: Buffer) => {
    buffered = Buffer.concat([buffered, data]);
    while (buffered.length >= typeLength + 4) {
      const end = typeLength + buffered.readInt32BE(typeLength);
      if (buffered.length < end) return;
      onMessage(buffered.toString('latin1', 0, typeLength), buffered.subarray(typeLength + 4, end));
      buffered = buffered.subarray(end);
      typeLength = 1;
    }
  };
}
