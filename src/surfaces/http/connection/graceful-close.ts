import type { FastifyInstance } from 'fastify';
import plugin from 'fastify-plugin';

/** How often connections that have become idle are looked for while closing, in milliseconds. */
const SWEEP_MS = 50;

/**
 * While the server closes, ends each connection as soon as its request is answered. Node.js ends those that are idle at
 * the moment of closing; one with a request under way would stay open for the whole keep-alive time.
 */
export const gracefulClose = plugin(
  async (app: FastifyInstance) => {
    app.addHook('preClose', async () => {
      if (!app.server.listening) return;
      const sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_MS);
      app.server.once('close', () => clearInterval(sweep));
    });
  },
  { name: 'graceful-close' },
);
