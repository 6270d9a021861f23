import type { FastifyInstance } from 'fastify';
import plugin from 'fastify-plugin';

/**
 * Other surfaces accept unknown query parameters, because those surfaces imitate other servers or are called by carriers,
 * probes and browsers.
 */
const SURFACES = /^\/(?:v1\.0|v2(?!\/Services\/)|api\/v1|simulator\/v1|admin\/v1)\//;

/** Operations whose contract allows unknown query parameters, and an operation to which other servers redirect browsers. */
export const LENIENT_PATHS: ReadonlySet<string> = new Set([
  '/v1.0/sms/status/:message_id',
  '/v1.0/account/balance',
  '/v2/sms/status/:message_id',
  '/v2/account/balance',
  '/api/v1/messages/status/:messageId',
  '/api/v1/contacts',
  '/api/v1/contacts/groups',
  '/api/v1/templates',
  '/api/v1/campaigns',
  '/api/v1/account',
  '/api/v1/account/usage',
  '/admin/v1/session/oidc/callback',
]);

/**
 * Refuses unknown query parameters, because a misspelled filter would match everything. The rule applies to all
 * endpoints that are registered later, except those in `LENIENT_PATHS`.
 */
export const strictQueries = plugin(
  async (app: FastifyInstance) => {
    app.addHook('onRoute', (route) => {
      const { method, url, schema } = route;
      if (method !== 'GET' || !SURFACES.test(url) || LENIENT_PATHS.has(url)) return;
      const querySchema = (schema?.querystring ?? { type: 'object', properties: {} }) as object;
      route.schema = { ...schema, querystring: { ...querySchema, additionalProperties: false } };
    });
  },
  { name: 'strict-queries' },
);
