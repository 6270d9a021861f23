import type { FastifyInstance } from 'fastify';
import plugin from 'fastify-plugin';

/**
 * Every PUT of this context changes the given fields, so a body that is absent gives none, as `{}` does. The document says so of
 * those that have no field which must be given.
 */
export const putWithoutBody = plugin(
  async (app: FastifyInstance) => {
    app.addHook('onRoute', (route) => {
      const { required = [] } = (route.schema?.body ?? {}) as { required?: readonly string[] };
      if (route.method === 'PUT' && required.length === 0) route.config = { ...route.config, optionalBody: true };
    });
    app.addHook('preValidation', (request, _reply, done) => {
      if (request.method === 'PUT' && request.body === undefined) request.body = {};
      done();
    });
  },
  { name: 'put-without-body' },
);
