import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { TSchema } from '@sinclair/typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod, RouteOptions } from 'fastify';
import plugin from 'fastify-plugin';
import { bodyErrors } from '../http/body-errors.js';
import { answer, pageAnswer } from './answers.js';
import { closeSchema } from './close-schema.js';
import type {
  Contract,
  Endpoint,
  EndpointAnswer,
  EndpointBody,
  EndpointDescription,
  EndpointParams,
  EndpointQuery,
  Key,
  Method,
  RequiredAccess,
  RoleScope,
} from './contract/contract.js';
import { VersionHeaders } from './contract/version-schemas.js';
import { adminErrors, type ErrorStatus } from './errors.js';
import { refuseFields } from './no-fields.js';

export type Endpoints<Options extends object> = FastifyPluginAsyncTypebox<Options>;

declare module 'fastify' {
  interface FastifyContextConfig {
    needs?: RequiredAccess;
    roleScope?: RoleScope;
    confirmed?: boolean | undefined;
    versioned?: boolean | undefined;
    /** Set for an endpoint that pages call in the background, so that it does not keep the session alive. */
    background?: boolean;
  }
}

type OptionalSchema = TSchema | undefined;

/** Returns the route options of an endpoint that is not part of a contract. */
export function endpoint<
  P extends OptionalSchema = undefined,
  Q extends OptionalSchema = undefined,
  B extends OptionalSchema = undefined,
  D extends TSchema = TSchema,
>({ data, ...description }: EndpointDescription<P, Q, B> & { data: D }) {
  return routeOptions(description, answer(data));
}

function routeOptions<P, Q, B extends OptionalSchema, A>(
  {
    needs,
    roleScope,
    confirmed,
    versioned,
    checksTexts,
    bodyLimit,
    errors = [],
    body,
    query,
    ...schema
  }: EndpointDescription<P, Q, B>,
  success: A,
) {
  return {
    ...(bodyLimit !== undefined && { bodyLimit }),
    config: { needs, roleScope, confirmed, versioned, ...(checksTexts && { checksTexts }) },
    schema: {
      ...schema,
      ...(query && { querystring: query }),
      ...(body && { body: closeSchema(body) }),
      ...(versioned && { headers: VersionHeaders }),
      tags: ['Console'],
      response: { 200: success, ...adminErrors(errors) },
    } as {
      params: P;
      querystring: Q;
      body: B;
      response: { 200: A };
    },
  };
}

type ContractRequest<E> = FastifyRequest<{
  Params: EndpointParams<E>;
  Querystring: EndpointQuery<E>;
  Body: EndpointBody<E>;
}>;

/**
 * Registers the handlers of a contract; startup fails if an endpoint has no handler.
 * @returns a function that registers the handler of one endpoint
 */
export function registerRoutes<C extends Contract>(app: Pick<FastifyInstance, 'route' | 'addHook'>, contract: C) {
  const missing = new Set(Object.keys(contract));
  app.addHook('onReady', async () => {
    if (missing.size > 0) throw new Error(`No handler for ${[...missing].join(', ')}`);
  });
  return <K extends keyof C & Key>(
    key: K,
    handler: (request: ContractRequest<C[K]>, reply: FastifyReply) => Promise<EndpointAnswer<C[K]>>,
  ): void => {
    const [method, url] = key.split(' ') as [Method, string];
    missing.delete(key);
    const options = toRouteOptions(contract[key] as Endpoint);
    app.route({ method, url, ...options, handler: handler as unknown as RouteHandlerMethod });
  };
}

function toRouteOptions(described: Endpoint) {
  if ('entry' in described) {
    const { entry, more, ...rest } = described;
    return routeOptions(rest, pageAnswer(entry, more ?? {}));
  }
  const { data, ...rest } = described;
  return routeOptions(rest, answer(data));
}

const SECURITY = [{ session: [] }];

export const impliedSchema = plugin(
  async (app: FastifyInstance) => {
    app.addHook('onRoute', (route) => {
      const { needs, roleScope } = route.config ?? {};
      const name = `${route.method} ${route.url}`;
      if (!needs || !roleScope) throw new Error(`${name} must declare \`needs\` and \`roleScope\``);
      const hasAccount = route.url.includes('/accounts/:accountId');
      if (roleScope === 'account' ? !hasAccount : roleScope === 'self' && hasAccount) {
        throw new Error(`${name}: the role scope \`account\` requires an account in the path, and \`self\` forbids it`);
      }
      if ((roleScope === 'self') !== (needs === 'nothing' || needs === 'session')) {
        throw new Error(`${name} must need a role, unless its role scope is \`self\``);
      }
      const schema = route.schema ?? {};
      // Tests iterate over the OpenAPI document, so an endpoint that is missing there would be untested.
      if (schema.hide || !schema.operationId)
        throw new Error(`${name} must be in the OpenAPI document, with an operationId`);
      if (route.method !== 'GET' && !schema.body) route.preValidation = refuseFields;
      const description = `${describeNeeds(needs, roleScope)}${route.config?.confirmed ? CONFIRMED : ''}`;
      route.schema = {
        ...schema,
        description: schema.description ? `${schema.description} ${description}` : description,
        security: needs === 'nothing' ? [] : SECURITY,
        response: { ...(schema.response as object), ...adminErrors(impliedErrors(route)) },
      };
    });
  },
  { name: 'admin-implied-schema' },
);

const CONFIRMED =
  ' If the operator signed in or confirmed (`/admin/v1/session/confirm`) more than ten minutes ago, the response is 403 with the code `CONFIRMATION_NEEDED`.';

function describeNeeds(needs: RequiredAccess, roleScope: RoleScope): string {
  if (needs === 'nothing') return 'Requires no session.';
  if (needs === 'session') return 'Requires a session.';
  return `Requires the role \`${needs}\` for the ${roleScope}.`;
}

function impliedErrors({ url, method, config }: RouteOptions): readonly ErrorStatus[] {
  const isChange = method !== 'GET';
  const needsRole = config?.needs !== 'nothing' && config?.needs !== 'session';
  const isVersioned = config?.versioned ?? false;
  return [
    400,
    ...(config?.needs === 'nothing' ? [] : ([401] as const)),
    ...(isChange || needsRole ? ([403] as const) : []),
    ...(url.includes('/:') ? ([404] as const) : []),
    ...(isVersioned ? ([412] as const) : []),
    ...bodyErrors(method),
    500,
    503,
  ];
}
