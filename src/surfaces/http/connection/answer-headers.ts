import type { FastifyInstance } from 'fastify';
import plugin from 'fastify-plugin';

/**
 * Headers of every answer: the request's id, and those that OWASP's REST Security Cheat Sheet asks of JSON answers.
 * They are fixed texts because @fastify/helmet, which pages for browsers get, makes its headers anew for each request.
 */
export const ANSWER_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

const HEADERS = Object.entries(ANSWER_HEADERS);

/** RFC 6797: for a year browsers speak https with this host. Other hosts of the domain are none of ours. */
const HSTS = 'max-age=31536000';

export interface AnswerHeadersOptions {
  /** Whether browsers reach the server by https, whatever this process sees; browsers read it over https alone. */
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
