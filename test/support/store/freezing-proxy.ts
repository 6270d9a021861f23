import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to PostgreSQL that can freeze, as a server under SIGSTOP does: connections stand, and nothing comes of them. */
export interface FreezingProxy {
  url: string;
  freeze(): void;
  /** What was held back goes on. */
  thaw(): void;
  /** Ends every connection. */
  cut(): void;
  close(): Promise<void>;
}

/** Stands between a test and the server of a URL. */
export async function freezingProxy(url: string): Promise<FreezingProxy> {
  const target = new URL(url);
  const port = Number(target.port);
  // Where the server listens on a socket in a folder.
  const folder = target.searchParams.get('host');
  const sockets = new Set<Socket>();
  let frozen = false;
  const keep = (socket: Socket, other: () => Socket) => {
    sockets.add(socket);
    socket.on('data', (data) => other().write(data));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      other().end();
    });
    if (frozen) socket.pause();
  };
  const server = createServer((near) => {
    const far: Socket = folder ? connect(`${folder}/.s.PGSQL.${target.port}`) : connect(port, target.hostname);
    keep(near, () => far);
    keep(far, () => near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const own = new URL(url);
  own.hostname = '127.0.0.1';
  own.searchParams.delete('host');
  own.port = String((server.address() as AddressInfo).port);
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: own.toString(),
    freeze: () => {
      frozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw: () => {
      frozen = false;
      for (const socket of sockets) socket.resume();
    },
    cut,
    close: async () => {
      server.close();
      cut();
    },
  };
}
