import type { Server } from 'node:http';

/** A port shared by several processes, one of which accepts the connections and passes them on. */
export interface SharedPort {
  /** Whether other processes keep listening. If so, this one can stop, and connections in transit go to them. */
  othersListen: boolean;
}

/**
 * Closes connections beyond a maximum. Node.js' `maxConnections` would return the connection to the accepting process, which
 * passes it to the next one; if all are full, it would circulate forever.
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
