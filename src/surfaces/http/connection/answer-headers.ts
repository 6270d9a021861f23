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

export const answerHeaders = plugin(
  async (app: FastifyInstance) => {
    app.addHook('onRequest', (request, reply, done) => {
      reply.header('x-request-id', request.id);
      for (const [name, value] of HEADERS) reply.header(name, value);
      done();
    });
  },
  { name: 'answer-headers' },
);
