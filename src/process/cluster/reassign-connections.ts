import cluster, { type Worker } from 'node:cluster';
import type { EventEmitter } from 'node:events';

interface ClusterMessage {
  cmd?: string;
  act?: string;
  seq?: number;
  ack?: number;
}

interface ConnectionHandle {
  close(): void;
}

/** Processes that accept connections and are not known to have exited. */
const listeningWorkers = new Set<Worker>();
cluster.on('listening', (worker) => {
  if (worker.isConnected()) listeningWorkers.add(worker);
});

/**
 * If a process exits before it acknowledges a connection, Node.js 20 to 24 keep the connection open and never serve it.
 * The client would wait until its own timeout. This emits the message by which a closing process returns a connection.
 * If no other process accepts connections, the connection is closed, because Node.js would keep it forever.
 */
export function reassignConnections(worker: Worker): void {
  const pending = new Map<number, ConnectionHandle | undefined>();
  const { process } = worker;
  // The fork failed.
  if (process.send === undefined) return;
  const send = process.send.bind(process) as (...args: unknown[]) => boolean;
  const sendAndTrack = (...args: unknown[]): boolean => {
    const { cmd, act, seq } = (args[0] ?? {}) as ClusterMessage;
    if (cmd === 'NODE_CLUSTER' && act === 'newconn' && seq !== undefined) {
      pending.set(seq, args[1] as ConnectionHandle | undefined);
    }
    return send(...args);
  };
  process.send = sendAndTrack as typeof process.send;
  (process as EventEmitter).on('internalMessage', ({ ack }: ClusterMessage) => {
    if (ack !== undefined) pending.delete(ack);
  });
  const reassignPending = () => {
    listeningWorkers.delete(worker);
    const connections = [...pending];
    pending.clear();
    for (const [ack, connection] of connections) {
      if (listeningWorkers.size === 0) connection?.close();
      else (process as EventEmitter).emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: false });
    }
  };
  // `disconnect` and `exit` arrive in either order. Node.js stops passing connections to the process only after both.
  worker.once('disconnect', reassignPending);
  worker.once('exit', () => {
    if (!worker.isConnected()) reassignPending();
  });
}
