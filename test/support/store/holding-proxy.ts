import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface HoldingProxy {
  url: string;
  /** Resolves with the chosen statement once PostgreSQL has executed it. Its answer is never delivered. */
  held: Promise<string>;
  close(): Promise<void>;
}

/**
 * A proxy of PostgreSQL that withholds the answer to one statement and everything after it, so that the client stops there.
 * @param choose called before each statement; the first one for which it returns true is withheld
 */
export async function holdingProxy(url: string, choose: (text: string) => boolean): Promise<HoldingProxy> {
  const { hostname: host, port, searchParams } = new URL(url);
  const folder = searchParams.get('host');
  const sockets = new Set<Socket>();
  let tell: (text: string) => void = () => undefined;
  const held = new Promise<string>((resolve) => {
    tell = resolve;
  });
  let isChosen = false;
  const server = createServer((near) => {
    const far = connect(folder === null ? { host, port: Number(port) } : { path: `${folder}/.s.PGSQL.${port}` });
    let chosen: string | null = null;
    const asked = eachMessage({ hasStartup: true }, (type, body) => {
      const text = textOf(type, body);
      if (text === null || isChosen || !choose(text)) return;
      isChosen = true;
      chosen = text;
    });
    const answered = eachMessage({ hasStartup: false }, (type) => {
      if (type === 'Z' && chosen !== null) tell(chosen);
    });
    near.on('data', (data) => {
      asked(data);
      far.write(data);
    });
    far.on('data', (data) => {
      answered(data);
      if (chosen === null) near.write(data);
    });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const own = new URL(url);
  own.hostname = '127.0.0.1';
  own.searchParams.delete('host');
  own.port = String((server.address() as AddressInfo).port);
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  };
  return { url: own.toString(), held, close };
}

/** The SQL of a simple query or of a parse message (PostgreSQL's protocol, version 3). */
function textOf(type: string, body: Buffer): string | null {
  if (type === 'Q') return body.toString('utf8', 0, body.length - 1);
  if (type !== 'P') return null;
  const [, text = ''] = body.toString('utf8').split('\0');
  return text;
}

/** A message is a letter, four bytes of length, and a body. A client's first message has no letter. */
function eachMessage({ hasStartup }: { hasStartup: boolean }, onMessage: (type: string, body: Buffer) => void) {
  let rest = Buffer.alloc(0);
  let head = hasStartup ? 0 : 1;
  return (data: Buffer) => {
    rest = Buffer.concat([rest, data]);
    while (rest.length >= head + 4) {
      const end = head + rest.readInt32BE(head);
      if (rest.length < end) return;
      onMessage(rest.toString('latin1', 0, head), rest.subarray(head + 4, end));
      rest = rest.subarray(end);
      head = 1;
    }
  };
}
