import { once } from 'node:events';

/**
 * Stops accepting connections, and closes the existing connections.
 * @param {import('node:net').Server} server
 * @param {() => void} closeConnections
 */
export async function closeServer(server, closeConnections) {
  const closed = once(server, 'close');
  server.close();
  closeConnections();
  await closed;
}
