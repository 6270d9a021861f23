import type { FastifyInstance } from 'fastify';
import plugin from 'fastify-plugin';

/**
 * Headers from OWASP's REST Security Cheat Sheet. Only HTML pages use @fastify/helmet, because @fastify/helmet builds its
 * headers separately for each request.
 */
export const ANSWER_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

const HEADERS = Object.entries(ANSWER_HEADERS);

/** Requires HTTPS for one year (RFC 6797), but not on subdomains, because other hosts of the domain are not ours. */
const HSTS = 'max-age=31536000';

export interface AnswerHeadersOptions {
  isAlwaysHttps: boolean;
}

export const answerHeaders = plugin(
  async (app: FastifyInstance, { isAlwaysHttps }: AnswerHeadersOptions) => {
    app.addHook('onRequest', (request, reply, done) => {
      reply.header('x-request-id', request.id);
      if (isAlwaysHttps || request.protocol === 'https') reply.header('strict-transport-security', HSTS);
      for (const [name, value] of HEADERS) reply.header(name, value);
      done();
    });
  },
  { name: 'answer-headers' },
);
