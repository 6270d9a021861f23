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

/** Processes that accept connections and have not exited, as far as the primary process knows. */
const listeningWorkers = new Set<Worker>();
cluster.on('listening', (worker) => {
  if (worker.isConnected()) listeningWorkers.add(worker);
});

/**
 * Passes the connections that an exited process has not acknowledged to other processes, or closes them if no other process
 * listens. Node.js 20 to 24 would keep unacknowledged connections open and never serve them.
 */
export function reassignConnections(worker: Worker): void {
  const pending = new Map<number, ConnectionHandle | undefined>();
  const { process } = worker;
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
  // Node.js passes no more connections to a process after both `disconnect` and `exit`, which come in either order.
  worker.once('disconnect', reassignPending);
  worker.once('exit', () => {
    if (!worker.isConnected()) reassignPending();
  });
}
