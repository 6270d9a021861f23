import { once } from 'node:events';

/**
 * Closes a server, then its connections.
 * @param {import('node:net').Server} server
 * @param {() => void} cut closes the connections
 */
export async function closeServer(server, cut) {
  const closed = once(server, 'close');
  server.close();
  cut();
  await closed;
}
