import fastJsonStringify from 'fast-json-stringify';
import type { FastifyInstance } from 'fastify';
import plugin from 'fastify-plugin';
import { MadeLate } from '../made-late.js';
import { validatorCompiler } from '../validation.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** The functions that schemas are compiled into, and whatever else costs time that a start should not wait for. */
    madeLate: MadeLate;
  }
}

/** What answers are written by. A schema is compiled once, also where a process opens several applications, as tests do. */
const serializers = new WeakMap<object, (data: unknown) => string>();

function serializerOf(schema: object): (data: unknown) => string {
  const serialize = serializers.get(schema) ?? fastJsonStringify(schema);
  serializers.set(schema, serialize);
  return serialize;
}

/**
 * Compiles the schemas of requests and answers when they are first needed. Compiling all of them took more than half of
 * the time until a process listened.
 */
export const schemaCompilers = plugin(
  async (app: FastifyInstance) => {
    const late = new MadeLate();
    app.decorate('madeLate', late);
    app.addHook('onClose', async () => late.stop());
    app.setValidatorCompiler(validatorCompiler(late));
    // Many endpoints answer errors of one shape: each is compiled once.
    const known = new WeakMap<object, (data: unknown) => string>();
    app.setSerializerCompiler<object>(({ schema }) => {
      const serialize = known.get(schema) ?? late.add(() => serializerOf(schema));
      known.set(schema, serialize);
      return serialize;
    });
  },
  { name: 'schema-compilers' },
);
