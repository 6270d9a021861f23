import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/**
 * A way to PostgreSQL that can freeze, as a server under SIGSTOP does: connections stand, and nothing comes of them.
 * @typedef {object} FreezingProxy
 * @property {string} url
 * @property {() => void} freeze
 * @property {() => void} thaw What was held back goes on.
 * @property {() => void} cut Ends every connection.
 * @property {(every: number) => void} cutAnswers From now on each connection is cut right behind a COMMIT, and behind every
 *   so manieth other request: it reaches the server, and the answer nobody. 0: no longer.
 * @property {(ends: boolean) => void} endAtConnect From now on each new connection is ended by the server in the moment in
 *   which it is made; until it is called off.
 * @property {number} asked How many connections were asked for.
 * @property {() => Promise<void>} refuse Ends every connection, and refuses others until `accept`.
 * @property {() => Promise<void>} accept
 * @property {() => Promise<void>} close
 */

/** ReadyForQuery, with which the server says that a connection is made. */
const READY = Buffer.from('Z\0\0\0\x05I', 'latin1');
/** What PostgreSQL says of a connection that it ends: an ErrorResponse. */
const FATAL = fatal('SFATAL', 'C57P01', 'Mterminating connection due to administrator command');

function fatal(...fields) {
  const body = Buffer.from(`${fields.join('\0')}\0\0`);
  const head = Buffer.alloc(5, 'E');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/**
 * Stands between processes and the server of a URL.
 * @param {string} url
 * @returns {Promise<FreezingProxy>}
 */
export async function freezingProxy(url) {
  const target = new URL(url);
  const port = Number(target.port);
  // Where the server listens on a socket in a folder.
  const folder = target.searchParams.get('host');
  const sockets = new Set();
  let frozen = false;
  let cutEvery = 0;
  let chunks = 0;
  let asked = 0;
  let ends = false;
  const losesAnswer = (data) => cutEvery > 0 && (++chunks % cutEvery === 0 || data.includes('COMMIT'));
  const keep = (socket, other) => {
    sockets.add(socket);
    socket.on('data', (data) => other().write(data));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      other().end();
    });
    if (frozen) socket.pause();
  };
  const server = createServer((near) => {
    asked += 1;
    const far = folder ? connect(`${folder}/.s.PGSQL.${target.port}`) : connect(port, target.hostname);
    keep(near, () => far);
    keep(far, () => near);
    if (ends) {
      far.prependListener('data', (data) => {
        if (!data.includes(READY)) return;
        // In one piece with what went before, as the kernel hands over what came together.
        near.write(Buffer.concat([data, FATAL]));
        near.destroySoon();
        far.removeAllListeners('data').destroy();
      });
    }
    near.on('data', (data) => {
      if (losesAnswer(data)) near.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: ownPort } = server.address();
  const own = new URL(url);
  own.hostname = '127.0.0.1';
  own.searchParams.delete('host');
  own.port = String(ownPort);
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: own.toString(),
    freeze: () => {
      frozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw: () => {
      frozen = false;
      for (const socket of sockets) socket.resume();
    },
    cut,
    cutAnswers: (every) => {
      cutEvery = every;
    },
    endAtConnect: (on) => {
      ends = on;
    },
    get asked() {
      return asked;
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
