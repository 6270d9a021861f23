import type { Server } from 'node:http';

/** Of a port that several processes share, to which one of them hands the connections that it accepts. */
export interface SharedPort {
  /** Whether others go on listening: then this process need not, and what is on its way to it goes to them. */
  othersListen: boolean;
}

/**
 * Closes what is open beyond a number of connections. `maxConnections` of Node.js would give one back to the process that
 * accepted it, which hands it to the next: where all are full, round and round.
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
