import type { FastifyInstance } from 'fastify';
import plugin from 'fastify-plugin';

/** Treats the missing body of a PUT as `{}`, which changes nothing because a PUT changes only the fields that it contains. */
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
