import cluster, { type Worker } from 'node:cluster';
import type { EventEmitter } from 'node:events';

/** What Node.js' cluster says to a process when it hands it a connection, and what that answers. */
interface ClusterMessage {
  cmd?: string;
  act?: string;
  seq?: number;
  ack?: number;
}

/** A connection as Node.js has it below its sockets. */
interface Connection {
  close(): void;
}

/** Processes that take connections, and of which it is not known that they have ended. */
const listening = new Set<Worker>();
cluster.on('listening', (worker) => {
  if (worker.isConnected()) listening.add(worker);
});

/**
 * Hands a connection to another process where the one that was to have it ended before it said that it has it. Node.js
 * (20 to 24) keeps such a connection open and forgets it: whoever made it would wait until their own patience ends. What
 * is emitted here is the answer by which a process that is closing gives one back. Where no other process takes
 * connections, Node.js has ended those that waited, and would keep one that is given back for ever: it is ended too.
 */
export function giveBackConnections(worker: Worker): void {
  const underWay = new Map<number, Connection | undefined>();
  const { process } = worker;
  // Where no process could be made there is nobody to hand anything.
  if (process.send === undefined) return;
  const send = process.send.bind(process) as (...args: unknown[]) => boolean;
  const noting = (...args: unknown[]): boolean => {
    const { cmd, act, seq } = (args[0] ?? {}) as ClusterMessage;
    if (cmd === 'NODE_CLUSTER' && act === 'newconn' && seq !== undefined) {
      underWay.set(seq, args[1] as Connection | undefined);
    }
    return send(...args);
  };
  process.send = noting as typeof process.send;
  (process as EventEmitter).on('internalMessage', ({ ack }: ClusterMessage) => {
    if (ack !== undefined) underWay.delete(ack);
  });
  const giveBack = () => {
    listening.delete(worker);
    const given = [...underWay];
    underWay.clear();
    for (const [ack, connection] of given) {
      if (listening.size === 0) connection?.close();
      else (process as EventEmitter).emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: false });
    }
  };
  // Once both have happened, which may be in either order, the process is no longer among those that are handed any; with a
  // connection under way `disconnect` is not always told.
  worker.once('disconnect', giveBack);
  worker.once('exit', () => {
    if (!worker.isConnected()) giveBack();
  });
}
