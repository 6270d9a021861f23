import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type TSchema, Type } from '@sinclair/typebox';
import type { RouteOptions } from 'fastify';
import type { OperationScope } from '../../accounts/keys.js';
import { bodyErrors } from '../http/body-errors.js';
import { RULE } from '../http/validation.js';
import { errorsGraph } from './errors.js';

export type Endpoints<Options extends object> = FastifyPluginAsyncTypebox<Options>;

declare module 'fastify' {
  interface FastifyContextConfig {
    graphScope?: OperationScope;
    graphObject?: 'number' | 'account';
  }
}

const Version = Type.String({
  pattern: '^v[0-9]{1,3}\\.[0-9]{1,2}$',
  description: 'Any version of the Graph API; all versions behave the same.',
  examples: ['v26.0'],
  [RULE]: 'must be a version such as v26.0',
});
const GraphId = (description: string) => Type.String({ description, examples: ['482913750264817'] });

export const VersionPath = Type.Object({ version: Version });
export const NumberPath = Type.Object({
  version: Version,
  phoneNumberId: GraphId('ID of the phone number, from `GET /api/v1/account`.'),
});
export const AccountPath = Type.Object({
  version: Version,
  businessAccountId: GraphId('ID of the business account, from `GET /api/v1/account`.'),
});
export const ObjectPath = Type.Object({
  version: Version,
  id: GraphId('ID of a phone number, a business account, a template or a file.'),
});

const AccessToken = Type.Optional(Type.String({ description: 'The token, if it is not sent in a header.' }));

export const FILE = Type.Unsafe<never>({ 'x-file': true });
const FILE_ANSWER = {
  description: 'The file, or the requested part of it.',
  content: { 'application/octet-stream': { schema: Type.String({ format: 'binary' }) } },
};

type OptionalSchema = TSchema | undefined;

interface Description<Params, Query, Body, Data> {
  operationId: string;
  summary: string;
  description?: string;
  /** Kind of object in the path, absent if the handler determines it. */
  object?: 'number' | 'account';
  params: Params;
  querystring?: Query;
  body?: Body;
  data: Data;
  errors?: Parameters<typeof errorsGraph>[0];
  optionalBody?: true;
  idempotent?: true;
  /** Name of the form part that contains the file. */
  takesFile?: string;
}

export function graphEndpoint(scope: OperationScope) {
  return <
    P extends TSchema,
    Q extends OptionalSchema = undefined,
    B extends OptionalSchema = undefined,
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

export function addImplied(route: RouteOptions): void {
  const { schema = {}, config } = route;
  const scope = `Requires the scope \`${config?.graphScope}\`.`;
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
