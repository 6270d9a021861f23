import type { FastifyInstance, RouteOptions } from 'fastify';
import plugin from 'fastify-plugin';
import { bodyErrors } from '../http/body-errors.js';
import { errorsB } from './errors.js';

/** The API key may also be sent as a bearer token. */
const SECURITY: Record<string, string[]>[] = [
  { apiKey: [], apiSecret: [], channelId: [] },
  { bearerApiKey: [], apiSecret: [], channelId: [] },
];

/** Adds authentication and common errors, so that endpoints declare only further errors, such as 402, 409 or 422. */
export const impliedSchema = plugin(
  async (app: FastifyInstance) => {
    app.addHook('onRoute', (route) => {
      const schema = route.schema ?? {};
      const scope = `Requires the scope \`${route.config?.scope}\`.`;
      route.schema = {
        ...schema,
        description: schema.description ? `${schema.description} ${scope}` : scope,
        security: SECURITY,
        response: { ...(schema.response as object), ...errorsB(impliedErrors(route)) },
      };
    });
  },
  { name: 'implied-schema' },
);

function impliedErrors({ url, method }: RouteOptions) {
  return [
    400,
    401,
    403,
    ...(url.includes('/:') ? ([404] as const) : []),
    ...bodyErrors(method),
    429,
    500,
    503,
  ] as const;
}
