import { once } from 'node:events';

/**
 * Ends a server: it listens no more, and then what is connected is cut.
 * @param {import('node:net').Server} server
 * @param {() => void} cut
 */
export async function closeServer(server, cut) {
  const closed = once(server, 'close');
  server.close();
  cut();
  await closed;
}
