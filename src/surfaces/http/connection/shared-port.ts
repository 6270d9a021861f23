import type { Server } from 'node:http';

/** A port shared by several processes, one of which accepts the connections and passes them on. */
export interface SharedPort {
  /** Whether other processes listen too, so that this process can stop listening without losing connections in transit. */
  othersListen: boolean;
}

/**
 * With `maxConnections`, Node.js would return a surplus connection to the accepting process, and the connection could circulate
 * forever.
 */
export function limitHandedOver(server: Server, max: number): void {
  let open = 0;
  server.prependListener('connection', (socket) => {
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
    if (open > max) socket.destroy();
  });
}
