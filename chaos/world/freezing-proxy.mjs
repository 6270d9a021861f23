import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/**
 * A proxy for PostgreSQL that can freeze: connections stay open, but no data passes, as with a server after SIGSTOP.
 * @typedef {object} FreezingProxy
 * @property {string} url
 * @property {() => void} freeze
 * @property {() => void} thaw Forwards all data that the freeze delayed.
 * @property {() => void} cut Closes every connection.
 * @property {(interval: number) => void} cutResponses Closes the connection after each COMMIT and each `interval`-th
 *   other request. The request reaches the server, but its response is lost. An interval of 0 turns this off.
 * @property {(isOn: boolean) => void} endAtConnect Terminates each new connection once it is established.
 * @property {number} connectionAttempts
 * @property {() => Promise<void>} refuse Closes every connection, and refuses new connections until `accept` is called.
 * @property {() => Promise<void>} accept
 * @property {() => Promise<void>} close
 */

/** The message ReadyForQuery, which reports that the connection is established. */
const READY = Buffer.from('Z\0\0\0\x05I', 'latin1');
/** The ErrorResponse that PostgreSQL sends when it terminates a connection. */
const FATAL = encodeError('SFATAL', 'C57P01', 'Mterminating connection due to administrator command');

function encodeError(...fields) {
  const body = Buffer.from(`${fields.join('\0')}\0\0`);
  const head = Buffer.alloc(5, 'E');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/**
 * Starts a proxy for the PostgreSQL server at a URL.
 * @param {string} url
 * @returns {Promise<FreezingProxy>}
 */
export async function freezingProxy(url) {
  const target = new URL(url);
  const port = Number(target.port);
  const folder = target.searchParams.get('host');
  const sockets = new Set();
  let isFrozen = false;
  let cutInterval = 0;
  let chunks = 0;
  let connectionAttempts = 0;
  let endsNewConnections = false;
  const losesResponse = (data) => cutInterval > 0 && (++chunks % cutInterval === 0 || data.includes('COMMIT'));
  const relay = (socket, peer) => {
    sockets.add(socket);
    socket.on('data', (data) => peer().write(data));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      peer().end();
    });
    if (isFrozen) socket.pause();
  };
  const server = createServer((clientSocket) => {
    connectionAttempts += 1;
    const serverSocket = folder ? connect(`${folder}/.s.PGSQL.${target.port}`) : connect(port, target.hostname);
    relay(clientSocket, () => serverSocket);
    relay(serverSocket, () => clientSocket);
    if (endsNewConnections) {
      serverSocket.prependListener('data', (data) => {
        if (!data.includes(READY)) return;
        // The error is written together with the previous data, so that both arrive in one packet.
        clientSocket.write(Buffer.concat([data, FATAL]));
        clientSocket.destroySoon();
        serverSocket.removeAllListeners('data').destroy();
      });
    }
    clientSocket.on('data', (data) => {
      if (losesResponse(data)) clientSocket.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: ownPort } = server.address();
  const proxyUrl = new URL(url);
  proxyUrl.hostname = '127.0.0.1';
  proxyUrl.searchParams.delete('host');
  proxyUrl.port = String(ownPort);
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: proxyUrl.toString(),
    freeze: () => {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw: () => {
      isFrozen = false;
      for (const socket of sockets) socket.resume();
    },
    cut,
    cutResponses: (interval) => {
      cutInterval = interval;
    },
    endAtConnect: (isOn) => {
      endsNewConnections = isOn;
    },
    get connectionAttempts() {
      return connectionAttempts;
    },
    refuse: async () => {
      const closed = once(server, 'close');
      server.close();
      cut();
      await closed;
    },
    accept: async () => {
      server.listen(ownPort, '127.0.0.1');
      await once(server, 'listening');
    },
    close: async () => {
      server.close();
      cut();
    },
  };
}
