import type { FastifyInstance, RouteOptions } from 'fastify';
import plugin from 'fastify-plugin';
import { errorsB } from './shared.js';

/** The three headers of Surface B, together. */
const SECURITY = [{ apiKey: [], apiSecret: [], channelId: [] }];

/**
 * Adds to the schema of every route of this context what is the same for all: how it is authenticated, which scope it
 * asks for, and the errors that follow from its schema.
 */
export const describeOperations = plugin(
  async (app: FastifyInstance) => {
    app.addHook('onRoute', (route) => {
      const schema = route.schema ?? {};
      const scope = `Needs the scope \`${route.config?.scope}\`.`;
      route.schema = {
        ...schema,
        description: schema.description ? `${schema.description} ${scope}` : scope,
        security: SECURITY,
        response: { ...(schema.response as object), ...errorsB(impliedErrors(route)) },
      };
    });
  },
  { name: 'describe-operations' },
);

function impliedErrors({ url, schema }: RouteOptions) {
  return [
    400,
    401,
    403,
    ...(url.includes('/:') ? ([404] as const) : []),
    ...(schema?.body ? ([413, 415] as const) : []),
    429,
    500,
    503,
  ] as const;
}
