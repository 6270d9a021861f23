import { once } from 'node:events';

/**
 * Stops accepting connections, and closes the existing ones.
 * @param {import('node:net').Server} server
 * @param {() => void} closeConnections closes all connections
 */
export async function closeServer(server, closeConnections) {
  const closed = once(server, 'close');
  server.close();
  closeConnections();
  await closed;
}
