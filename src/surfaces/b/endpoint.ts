import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { TSchema } from '@sinclair/typebox';
import type { OperationScope } from '../../accounts/keys.js';
import { answer } from './answers.js';
import { type ErrorStatus, errorsB } from './errors.js';

/** The endpoints of one resource, relative to `/api/v1`, and the options they need. */
export type Endpoints<Options extends object> = FastifyPluginAsyncTypebox<Options>;

/** Describes an endpoint. */
interface Description<Params, Query, Body, Data> {
  operationId: string;
  summary: string;
  description?: string;
  params?: Params;
  querystring?: Query;
  body?: Body;
  /** The schema of `data` in a success, or `FILE`. */
  data: Data | typeof FILE;
  /** Errors in addition to those of every endpoint and those implied by its schema (implied-schema.ts). */
  errors?: readonly ErrorStatus[];
  /** The body may be absent; the endpoint's own `preValidation` replaces it by `{}`. */
  optionalBody?: true;
  /** Supports `Idempotency-Key`. */
  idempotent?: true;
  /** Accepts a form (`multipart/form-data`) with a file in the part of this name; see file-form.ts. */
  takesFile?: string;
  /** The handler itself checks for characters that cannot be stored, and refuses only the rows that contain them. */
  checksTexts?: true;
}

/** Resources with separate read and write scopes. */
type Resource = {
  [S in OperationScope]: S extends `${infer R}:read` ? (`${R}:write` extends OperationScope ? R : never) : never;
}[OperationScope];

/** The answer is a file instead of JSON. */
export const FILE = Symbol('file');

const FILE_ANSWER = {
  description: 'The content of the file.',
  content: { '*/*': { schema: { type: 'string', format: 'binary' } } },
};

type Optional = TSchema | undefined;

/** Creates route options for endpoints with the same tag and scope. */
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

/** Creates route options for the endpoints of a resource that read and those that write. */
function resourceEndpoints(tag: string, resource: Resource) {
  return { read: endpoint(tag, `${resource}:read`), write: endpoint(tag, `${resource}:write`) };
}

/* Tags of the reference, with the scopes of their endpoints. */
export const AUTOMATIONS = resourceEndpoints('Automations', 'automations');
export const CAMPAIGNS = resourceEndpoints('Campaigns', 'campaigns');
export const CONTACTS = resourceEndpoints('Contacts', 'contacts');
export const CONVERSATIONS = resourceEndpoints('Conversations', 'conversations');
export const GROUPS = resourceEndpoints('Contact groups', 'contacts');
export const MEDIA = resourceEndpoints('Media', 'media');
export const TEMPLATES = resourceEndpoints('Templates', 'templates');
export const WEBHOOKS = resourceEndpoints('Webhooks', 'webhooks');
