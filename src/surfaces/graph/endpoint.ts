import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type TSchema, Type } from '@sinclair/typebox';
import type { RouteOptions } from 'fastify';
import type { OperationScope } from '../../accounts/keys.js';
import { bodyErrors } from '../http/body-errors.js';
import { RULE } from '../http/validation.js';
import { errorsGraph } from './errors.js';

/** The endpoints of one resource, below `/graph/v26.0`, with the options that their use cases need. */
export type Endpoints<Options extends object> = FastifyPluginAsyncTypebox<Options>;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What an endpoint of Meta's surface asks of a key. */
    graphScope?: OperationScope;
    /** What the first id of its path names. */
    graphObject?: 'number' | 'account';
  }
}

const Version = Type.String({
  pattern: '^v[0-9]{1,3}\\.[0-9]{1,2}$',
  description: 'Any version of the Graph API: each is answered alike.',
  examples: ['v26.0'],
  [RULE]: 'must be a version such as v26.0',
});
const GraphId = (description: string) => Type.String({ description, examples: ['482913750264817'] });

/** The path of what has no object. */
export const VersionPath = Type.Object({ version: Version });
/** The path of what a number does. */
export const NumberPath = Type.Object({
  version: Version,
  phoneNumberId: GraphId('Id of the number, as `GET /api/v1/account` tells it.'),
});
/** The path of what belongs to a business account. */
export const AccountPath = Type.Object({
  version: Version,
  businessAccountId: GraphId('Id of the business account, as `GET /api/v1/account` tells it.'),
});
/** The path of anything. */
export const ObjectPath = Type.Object({
  version: Version,
  id: GraphId('Id of a number, of a business account, of a template, or of a file.'),
});

/** Queries of Meta's have more parameters than are known here; the token may be one of them. */
const AccessToken = Type.Optional(Type.String({ description: 'The token, where no header has it.' }));

/** In the place of the schema of an answer: it is a file. */
export const FILE = Type.Unsafe<never>({ 'x-file': true });
const FILE_ANSWER = {
  description: 'The file, or the part of it that was asked for.',
  content: { 'application/octet-stream': { schema: Type.String({ format: 'binary' }) } },
};

type Optional = TSchema | undefined;

interface Description<Params, Query, Body, Data> {
  operationId: string;
  summary: string;
  description?: string;
  /** What the first id of the path names; left out where the handler finds out. */
  object?: 'number' | 'account';
  params: Params;
  querystring?: Query;
  body?: Body;
  data: Data;
  errors?: Parameters<typeof errorsGraph>[0];
  /** The body may be left out; a `preValidation` of its own takes that as `{}`. */
  optionalBody?: true;
  idempotent?: true;
  /** It takes a form with a file in this part. */
  takesFile?: string;
}

/** Makes the route options of endpoints that ask for one scope. */
export function graphEndpoint(scope: OperationScope) {
  return <
    P extends TSchema,
    Q extends Optional = undefined,
    B extends Optional = undefined,
    D extends TSchema = TSchema,
  >({
    data,
    object,
    errors = [],
    optionalBody,
    idempotent,
    takesFile,
    ...schema
  }: Description<P, Q, B, D>) => ({
    config: {
      graphScope: scope,
      ...(object && { graphObject: object }),
      ...(optionalBody && { optionalBody }),
      ...(idempotent && { idempotent }),
      ...(takesFile !== undefined && { takesFile }),
    },
    schema: {
      ...schema,
      tags: ["Meta's surface"],
      response: {
        ...((data as TSchema) === FILE ? { 200: FILE_ANSWER, 206: FILE_ANSWER } : { 200: data }),
        ...errorsGraph(errors),
      },
    } as unknown as {
      params: P;
      querystring: Q;
      body: B;
      response: { 200: D };
    },
  });
}

/** Adds to the schema of a route what is the same for all. */
export function addImplied(route: RouteOptions): void {
  const { schema = {}, config } = route;
  const scope = `Needs the scope \`${config?.graphScope}\`.`;
  const { properties = {} } = (schema.querystring ?? {}) as { properties?: object };
  route.schema = {
    ...schema,
    querystring: Type.Object({ ...properties, access_token: AccessToken }),
    description: schema.description ? `${schema.description} ${scope}` : scope,
    security: [{ channelToken: [] }, { accessToken: [] }],
    response: {
      ...(schema.response as object),
      ...errorsGraph([400, 401, 403, ...bodyErrors(route.method), 429, 500, 503]),
    },
  };
}
