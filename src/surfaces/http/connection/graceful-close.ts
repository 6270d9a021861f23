import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { FastifyInstance } from 'fastify';
import plugin from 'fastify-plugin';
import type { SharedPort } from './shared-port.js';

/** How often idle connections are closed during shutdown. */
const SWEEP_MS = 50;
/** If an iteration of the event loop takes less time than this, no event arrived during it. */
const QUIET_TURN_MS = 0.5;
/**
 * If another process passes connections to this process, the server stops listening after this time without a new connection.
 */
const QUIET_HANDOVER_MS = 20;
/** Longest time to wait until an iteration of the event loop has no events. */
const QUIET_TIMEOUT_MS = 500;

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether the server is draining, which the readiness check reports so that load balancers send no new requests. */
    isDraining: boolean;
    /** Must be called before `close`; the promise resolves when every request has been answered. */
    drain(drainMs: number, port?: SharedPort): Promise<void>;
  }
}

/**
 * During shutdown, closes each connection as soon as its request is answered. Node.js closes only connections that are idle at
 * the start of the shutdown, and would leave the rest open for the whole keep-alive time.
 */
export const gracefulClose = plugin(
  async (app: FastifyInstance) => {
    const drain = new Drain(app.server);
    app.decorate('isDraining', false);
    app.decorate('drain', async (drainMs: number, port?: SharedPort) => {
      if (!app.server.listening || drainMs === 0) return;
      app.isDraining = true;
      await drain.run(drainMs, port);
    });
    app.addHook('preClose', async () => {
      if (!app.server.listening && !drain.closed) return;
      const sweep = setInterval(() => void sweepIdle(app.server), SWEEP_MS);
      app.server.once('close', () => clearInterval(sweep));
      // First, Node.js is given one iteration of the event loop, so that it knows which connections are idle when it closes the
      // server.
      await turn();
    });
    // Fastify itself waits for open connections only if the server is still listening at this point.
    app.addHook('onClose', async () => drain.closed);
  },
  { name: 'graceful-close' },
);

/**
 * Ends keep-alive connections with a last response instead of a reset. During the first half of the drain time, the server
 * still listens, and the next response on each connection has `Connection: close`. The server then stops listening at a moment
 * when no client is connecting. Later connection attempts are refused, so clients can safely retry them elsewhere.
 */
class Drain {
  readonly #server: Server;
  readonly #newSockets = new WeakSet<Socket>();
  /** Promise that resolves once no connection is open, or undefined while the server listens. */
  closed: Promise<unknown> | undefined;

  constructor(server: Server) {
    this.#server = server;
  }

  async run(drainMs: number, port?: SharedPort): Promise<void> {
    const server = this.#server;
    server.prependListener('connection', (socket) => this.#newSockets.add(socket));
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      if (this.closed || !this.#newSockets.has(request.socket)) response.setHeader('connection', 'close');
    });
    if (!port?.othersListen) {
      await this.#waitWhileConnected(drainMs / 2);
      await this.#waitUntilNobodyConnects(port ? QUIET_HANDOVER_MS : 0);
    }
    this.closed = once(server, 'close');
    // http.Server.close would also close idle connections, on which a request may be arriving.
    NetServer.prototype.close.call(server);
    await this.#waitWhileConnected(drainMs / 2);
  }

  async #waitWhileConnected(durationMs: number): Promise<void> {
    const until = performance.now() + durationMs;
    const count = promisify(this.#server.getConnections).bind(this.#server);
    while (performance.now() < until && (await count()) > 0) await pause(SWEEP_MS);
  }

  /**
   * Without the wait, requests would be lost, because closing the listener resets connections that have not been accepted yet.
   */
  async #waitUntilNobodyConnects(durationMs: number): Promise<void> {
    let connectedAt = performance.now();
    const recordConnection = () => {
      connectedAt = performance.now();
    };
    this.#server.on('connection', recordConnection);
    const until = performance.now() + QUIET_TIMEOUT_MS;
    for (let isQuiet = false; !isQuiet && performance.now() < until; ) {
      const startedAt = performance.now();
      await turn();
      const now = performance.now();
      isQuiet = connectedAt < startedAt && now - startedAt < QUIET_TURN_MS && now - connectedAt >= durationMs;
    }
    this.#server.off('connection', recordConnection);
  }
}

/** Waits for one iteration of the event loop, because a connection may look idle although its request has just arrived. */
async function sweepIdle(server: Server): Promise<void> {
  await turn();
  server.closeIdleConnections();
}
