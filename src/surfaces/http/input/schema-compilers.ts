import type { AnySchema } from 'ajv';
import fastJsonStringify from 'fast-json-stringify';
import type { FastifyInstance } from 'fastify';
import plugin from 'fastify-plugin';
import { LazyFunctions } from '../lazy-functions.js';
import { validatorCompiler } from '../validation.js';
import { withSpellingCheck } from './misspelled-fields.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Functions created on first use, to keep startup fast. */
    lazyFunctions: LazyFunctions;
  }
}

/** Cache shared by all applications in the process, because a test process opens several. */
const serializers = new WeakMap<object, (data: unknown) => string>();

function compileSerializer(schema: object): (data: unknown) => string {
  const serialize = serializers.get(schema) ?? fastJsonStringify(schema);
  serializers.set(schema, serialize);
  return serialize;
}

/** Compiles schemas on first use, because compiling all of them took more than half of the startup time. */
export const schemaCompilers = plugin(
  async (app: FastifyInstance) => {
    const lazyFunctions = new LazyFunctions();
    app.decorate('lazyFunctions', lazyFunctions);
    app.addHook('onClose', async () => lazyFunctions.stop());
    const compileValidator = validatorCompiler(lazyFunctions);
    app.setValidatorCompiler<AnySchema>((definition) => {
      const validate = compileValidator(definition);
      const { httpPart, url, schema } = definition;
      return httpPart === 'body' ? withSpellingCheck(url, schema, validate) : validate;
    });
    // Many endpoints share an error schema, which is compiled only once.
    const serializeBySchema = new WeakMap<object, (data: unknown) => string>();
    app.setSerializerCompiler<object>(({ schema }) => {
      const serialize = serializeBySchema.get(schema) ?? lazyFunctions.add(() => compileSerializer(schema));
      serializeBySchema.set(schema, serialize);
      return serialize;
    });
  },
  { name: 'schema-compilers' },
);
