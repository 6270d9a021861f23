import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { TSchema } from '@sinclair/typebox';
import type { OperationScope } from '../../accounts/keys.js';
import { answer } from './answers.js';
import { type ErrorStatus, errorsB } from './errors.js';

/** The endpoints of one resource, relative to `/api/v1`, with the options that their use cases need. */
export type Endpoints<Options extends object> = FastifyPluginAsyncTypebox<Options>;

/** What an endpoint says about itself. */
interface Description<Params, Query, Body, Data> {
  operationId: string;
  summary: string;
  description?: string;
  params?: Params;
  querystring?: Query;
  body?: Body;
  /** What `data` of a success holds. */
  data: Data | typeof FILE;
  /** Errors beside those that every endpoint has, and those that follow from its schema (see implied-schema.ts). */
  errors?: readonly ErrorStatus[];
  /** The body may be left out; a `preValidation` of its own takes that as `{}`. */
  optionalBody?: true;
  /** It takes an `Idempotency-Key`. */
  idempotent?: true;
  /** It takes a form (`multipart/form-data`) with a file in a part of this name; see file-form.ts. */
  takesFile?: string;
  /** It looks itself for characters that cannot be stored, and refuses what has them alone. */
  checksTexts?: true;
}

/** What keys may read and write apart. */
type Resource = {
  [S in OperationScope]: S extends `${infer R}:read` ? (`${R}:write` extends OperationScope ? R : never) : never;
}[OperationScope];

/** The answer is a file, and no JSON. */
export const FILE = Symbol('file');

const FILE_ANSWER = {
  description: 'The bytes.',
  content: { '*/*': { schema: { type: 'string', format: 'binary' } } },
};

type Optional = TSchema | undefined;

/** Makes the route options of endpoints that stand under one heading of the reference and ask for one scope. */
export function endpoint(tag: string, scope: OperationScope) {
  return <
    P extends Optional = undefined,
    Q extends Optional = undefined,
    B extends Optional = undefined,
    D extends TSchema = TSchema,
  >({
    data,
    errors = [],
    optionalBody,
    idempotent,
    takesFile,
    checksTexts,
    ...schema
  }: Description<P, Q, B, D>) => ({
    config: {
      scope,
      ...(optionalBody && { optionalBody }),
      ...(idempotent && { idempotent }),
      ...(takesFile !== undefined && { takesFile }),
      ...(checksTexts && { checksTexts }),
    },
    schema: {
      ...schema,
      tags: [tag],
      response: {
        ...(data === FILE ? { 200: FILE_ANSWER, 206: FILE_ANSWER } : { 200: answer(data as D) }),
        ...errorsB(errors),
      },
    } as {
      params: P;
      querystring: Q;
      body: B;
      response: { 200: ReturnType<typeof answer<D>> };
    },
  });
}

/** Makes the route options of the endpoints of a resource: those that read it, and those that write it. */
function endpointsOf(tag: string, resource: Resource) {
  return { read: endpoint(tag, `${resource}:read`), write: endpoint(tag, `${resource}:write`) };
}

/* The headings of the reference, each with the scopes that the endpoints below it ask for. */
export const AUTOMATIONS = endpointsOf('Automations', 'automations');
export const CAMPAIGNS = endpointsOf('Campaigns', 'campaigns');
export const CONTACTS = endpointsOf('Contacts', 'contacts');
export const CONVERSATIONS = endpointsOf('Conversations', 'conversations');
export const GROUPS = endpointsOf('Contact groups', 'contacts');
export const MEDIA = endpointsOf('Media', 'media');
export const TEMPLATES = endpointsOf('Templates', 'templates');
export const WEBHOOKS = endpointsOf('Webhooks', 'webhooks');
