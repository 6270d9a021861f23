import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to PostgreSQL on which an answer can be held back. */
export interface HoldingProxy {
  url: string;
  /** Resolves with the statement that was chosen, once PostgreSQL has done it; its answer reaches nobody. */
  held: Promise<string>;
  /** Ends every connection. */
  close(): Promise<void>;
}

/**
 * Stands between a process and PostgreSQL, and holds back the answer to one statement and all that follows: whoever asked
 * stands still behind what is done, for certain and until it is ended.
 * @param choose told of each statement before PostgreSQL has it; the first of which it says true is the one
 */
export async function holdingProxy(url: string, choose: (text: string) => boolean): Promise<HoldingProxy> {
  const { hostname: host, port, searchParams } = new URL(url);
  // Where it listens on a socket in a folder.
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

/** What a message of PostgreSQL's protocol (version 3) asks for: of a simple query, or of one that is parsed first. */
function textOf(type: string, body: Buffer): string | null {
  if (type === 'Q') return body.toString('utf8', 0, body.length - 1);
  if (type !== 'P') return null;
  const [, text = ''] = body.toString('utf8').split('\0');
  return text;
}

/** Cuts a stream into messages: a letter, four bytes of their length, and a body. The first of a client has no letter. */
function eachMessage({ hasStartup }: { hasStartup: boolean }, told: (type: string, body: Buffer) => void) {
  let rest = Buffer.alloc(0);
  let head = hasStartup ? 0 : 1;
  return (data: Buffer) => {
    rest = Buffer.concat([rest, data]);
    while (rest.length >= head + 4) {
      const end = head + rest.readInt32BE(head);
      if (rest.length < end) return;
      told(rest.toString('latin1', 0, head), rest.subarray(head + 4, end));
      rest = rest.subarray(end);
      head = 1;
    }
  };
}
