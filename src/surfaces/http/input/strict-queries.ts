import type { FastifyInstance } from 'fastify';
import plugin from 'fastify-plugin';

/** Where queries are strict: the rest is read by carriers, probes and browsers, or is as another server has it. */
const SURFACES = /^\/(?:v1\.0|v2(?!\/Services\/)|api\/v1|simulator\/v1|admin\/v1)\//;

/** The operations of the contract, which may be sent what it does not name, and where another server leads browsers to. */
export const LENIENT: ReadonlySet<string> = new Set([
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
 * Refuses what a GET is asked by a name that its query does not have: a misspelled filter would else find everything. So
 * would one without a value, which the validation of strict queries refuses (see `EMPTY_FIELD`). It holds for every endpoint that is registered after it, but for the lenient ones.
 */
export const strictQueries = plugin(
  async (app: FastifyInstance) => {
    app.addHook('onRoute', (route) => {
      const { method, url, schema } = route;
      if (method !== 'GET' || !SURFACES.test(url) || LENIENT.has(url)) return;
      const known = (schema?.querystring ?? { type: 'object', properties: {} }) as object;
      route.schema = { ...schema, querystring: { ...known, additionalProperties: false } };
    });
  },
  { name: 'strict-queries' },
);
