import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { TSchema } from '@sinclair/typebox';
import type { OperationScope } from '../../accounts/keys.js';
import { answer } from './answers.js';
import { type ErrorStatus, errorsB } from './errors.js';

export type Endpoints<Options extends object> = FastifyPluginAsyncTypebox<Options>;

interface Description<Params, Query, Body, Data> {
  operationId: string;
  summary: string;
  description?: string;
  params?: Params;
  querystring?: Query;
  body?: Body;
  data: Data | typeof FILE | typeof CSV_FILE;
  errors?: readonly ErrorStatus[];
  /** Set if the endpoint's own `preValidation` replaces a missing body with `{}`. */
  optionalBody?: true;
  idempotent?: true;
  /** Name of the form part that contains the file (file-form.ts). */
  takesFile?: string;
  /** Set if the handler refuses only the rows that contain characters that cannot be stored. */
  checksTexts?: true;
}

type Resource = {
  [S in OperationScope]: S extends `${infer R}:read` ? (`${R}:write` extends OperationScope ? R : never) : never;
}[OperationScope];

export const FILE = Symbol('file');
export const CSV_FILE = Symbol('csv');

const FILE_ANSWER = {
  description: 'The content of the file.',
  content: { '*/*': { schema: { type: 'string', format: 'binary' } } },
};

const CSV_ANSWER = { description: 'The file.', content: { 'text/csv': { schema: { type: 'string' } } } };

function buildAnswers(data: TSchema | typeof FILE | typeof CSV_FILE) {
  if (data === FILE) return { 200: FILE_ANSWER, 206: FILE_ANSWER };
  return { 200: data === CSV_FILE ? CSV_ANSWER : answer(data as TSchema) };
}

type OptionalSchema = TSchema | undefined;

export function endpoint(tag: string, scope: OperationScope) {
  return <
    P extends OptionalSchema = undefined,
    Q extends OptionalSchema = undefined,
    B extends OptionalSchema = undefined,
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
        ...buildAnswers(data),
        ...errorsB(errors),
      },
    } as unknown as {
      params: P;
      querystring: Q;
      body: B;
      response: { 200: ReturnType<typeof answer<D>> };
    },
  });
}

function resourceEndpoints(tag: string, resource: Resource) {
  return { read: endpoint(tag, `${resource}:read`), write: endpoint(tag, `${resource}:write`) };
}

export const AUDIENCES = resourceEndpoints('Audiences', 'contacts');
export const AUTOMATIONS = resourceEndpoints('Automations', 'automations');
export const CAMPAIGNS = resourceEndpoints('Campaigns', 'campaigns');
export const CONSENTS = resourceEndpoints('Consent', 'consent');
export const CONTACTS = resourceEndpoints('Contacts', 'contacts');
export const CONVERSATIONS = resourceEndpoints('Conversations', 'conversations');
export const GROUPS = resourceEndpoints('Contact groups', 'contacts');
export const MEDIA = resourceEndpoints('Media', 'media');
export const TEMPLATES = resourceEndpoints('Templates', 'templates');
export const WEBHOOKS = resourceEndpoints('Webhooks', 'webhooks');
