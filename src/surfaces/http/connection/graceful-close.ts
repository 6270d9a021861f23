import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { FastifyInstance } from 'fastify';
import plugin from 'fastify-plugin';
import type { SharedPort } from './shared-port.js';

/** How often connections that have become idle are looked for while closing, in milliseconds. */
const SWEEP_MS = 50;
/** A turn of the event loop in which nothing happened takes less, in milliseconds. */
const QUIET_TURN_MS = 0.5;
/** For how long nobody must have connected where connections are handed over by another process, in milliseconds. */
const HANDED_OVER_MS = 20;
/** For how long such a turn is looked for, in milliseconds. */
const QUIET_PATIENCE_MS = 500;

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether the process is about to end: readiness says so, that no further requests are sent to it. */
    isDraining: boolean;
    /** See `Drain`; to be called before `close`. Resolves when nobody is to be answered any more. */
    drain(momentMs: number, port?: SharedPort): Promise<void>;
  }
}

/**
 * While the server closes, ends each connection as soon as its request is answered. Node.js ends those that are idle at
 * the moment of closing; one with a request under way would stay open for the whole keep-alive time.
 */
export const gracefulClose = plugin(
  async (app: FastifyInstance) => {
    const drain = new Drain(app.server);
    app.decorate('isDraining', false);
    app.decorate('drain', async (momentMs: number, port?: SharedPort) => {
      if (!app.server.listening || momentMs === 0) return;
      app.isDraining = true;
      await drain.run(momentMs, port);
    });
    app.addHook('preClose', async () => {
      if (!app.server.listening && !drain.closed) return;
      const sweep = setInterval(() => void sweepIdle(app.server), SWEEP_MS);
      app.server.once('close', () => clearInterval(sweep));
      // What Node.js ends when it closes the server is idle by then, too.
      await turn();
    });
    // Fastify waits for the connections of a server only where it listens until then.
    app.addHook('onClose', async () => drain.closed);
  },
  { name: 'graceful-close' },
);

/**
 * The last moment of a server, so that who keeps connections open learns by an answer that they end, and not by a request
 * that is reset. In its first half the server still listens: connections from before are answered a last time, each with
 * `Connection: close`, and the new ones, which take their place, are kept. Then it stops listening, at a point at which
 * nobody connects, and all are answered a last time. What comes from then on is refused, and can go elsewhere as it is, for
 * nothing of it was sent.
 */
class Drain {
  readonly #server: Server;
  readonly #fresh = new WeakSet<Socket>();
  /** Resolves once no connection is open; undefined while the server listens. */
  closed: Promise<unknown> | undefined;

  constructor(server: Server) {
    this.#server = server;
  }

  async run(momentMs: number, port?: SharedPort): Promise<void> {
    const server = this.#server;
    server.prependListener('connection', (socket) => this.#fresh.add(socket));
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      if (this.closed || !this.#fresh.has(request.socket)) response.setHeader('connection', 'close');
    });
    if (!port?.othersListen) {
      await this.#waitWhileConnected(momentMs / 2);
      await this.#untilNobodyConnects(port ? HANDED_OVER_MS : 0);
    }
    this.closed = once(server, 'close');
    // That of HTTP would end the idle connections as well, on which a request may be on its way.
    NetServer.prototype.close.call(server);
    await this.#waitWhileConnected(momentMs / 2);
  }

  async #waitWhileConnected(forMs: number): Promise<void> {
    const until = performance.now() + forMs;
    const count = promisify(this.#server.getConnections).bind(this.#server);
    while (performance.now() < until && (await count()) > 0) await pause(SWEEP_MS);
  }

  /** A connection that waits to be accepted when the server stops listening would be reset, and the request on it lost. */
  async #untilNobodyConnects(forMs: number): Promise<void> {
    let connectedAt = performance.now();
    const note = () => {
      connectedAt = performance.now();
    };
    this.#server.on('connection', note);
    const until = performance.now() + QUIET_PATIENCE_MS;
    for (let quiet = false; !quiet && performance.now() < until; ) {
      const began = performance.now();
      await turn();
      const now = performance.now();
      quiet = connectedAt < began && now - began < QUIET_TURN_MS && now - connectedAt >= forMs;
    }
    this.#server.off('connection', note);
  }
}

/** After a turn of the event loop, in which requests are read that have arrived: their connections are idle no more. */
async function sweepIdle(server: Server): Promise<void> {
  await turn();
  server.closeIdleConnections();
}
