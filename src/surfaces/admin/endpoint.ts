import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { TSchema } from '@sinclair/typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod, RouteOptions } from 'fastify';
import plugin from 'fastify-plugin';
import { bodyErrors } from '../http/body-errors.js';
import { answer, pageAnswer } from './answers.js';
import { closed } from './closed.js';
import type {
  AnswerOf,
  BodyOf,
  Contract,
  Described,
  Endpoint,
  Key,
  Method,
  Need,
  Of,
  ParamsOf,
  QueryOf,
} from './contract/contract.js';
import { adminErrors, type ErrorStatus } from './errors.js';
import { refuseFields } from './no-fields.js';
import { VersionHeaders } from './contract/version-schemas.js';

/** The endpoints of one resource, relative to `/admin/v1`, with the options that their use cases need. */
export type Endpoints<Options extends object> = FastifyPluginAsyncTypebox<Options>;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What an endpoint of the console asks of its caller. */
    needs?: Need;
    /** Of what. */
    of?: Of;
    /** It changes who can sign in: the operator must have proved lately who they are. */
    confirmed?: boolean | undefined;
    /** It changes what two people may change at once: `If-Match` is looked at. */
    versioned?: boolean | undefined;
    /** A page asks it by itself: it keeps no session. */
    background?: boolean;
  }
}

type Optional = TSchema | undefined;

/** Makes the route options of an endpoint that answers `{ data }`, or of one like it that is in no contract. */
export function endpoint<
  P extends Optional = undefined,
  Q extends Optional = undefined,
  B extends Optional = undefined,
  D extends TSchema = TSchema,
>({ data, ...description }: Described<P, Q, B> & { data: D }) {
  return routeOptions(description, answer(data));
}

function routeOptions<P, Q, B extends Optional, A>(
  { needs, of, confirmed, versioned, checksTexts, bodyLimit, errors = [], body, query, ...schema }: Described<P, Q, B>,
  success: A,
) {
  return {
    ...(bodyLimit !== undefined && { bodyLimit }),
    config: { needs, of, confirmed, versioned, ...(checksTexts && { checksTexts }) },
    schema: {
      ...schema,
      ...(query && { querystring: query }),
      ...(body && { body: closed(body) }),
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

/** A request to an endpoint, as its contract describes it. */
type Asked<E> = FastifyRequest<{ Params: ParamsOf<E>; Querystring: QueryOf<E>; Body: BodyOf<E> }>;

/**
 * Serves the endpoints of a contract. What is not served by the time that the server is ready, or is not in the contract,
 * is an error.
 * @returns serves one of them: its handler answers what the contract says
 */
export function routesOf<C extends Contract>(app: Pick<FastifyInstance, 'route' | 'addHook'>, contract: C) {
  const missing = new Set(Object.keys(contract));
  app.addHook('onReady', async () => {
    if (missing.size > 0) throw new Error(`Nobody serves ${[...missing].join(', ')}`);
  });
  return <K extends keyof C & Key>(
    key: K,
    handler: (request: Asked<C[K]>, reply: FastifyReply) => Promise<AnswerOf<C[K]>>,
  ): void => {
    const [method, url] = key.split(' ') as [Method, string];
    missing.delete(key);
    const options = optionsOf(contract[key] as Endpoint);
    app.route({ method, url, ...options, handler: handler as unknown as RouteHandlerMethod });
  };
}

function optionsOf(described: Endpoint) {
  if ('entry' in described) {
    const { entry, more, ...rest } = described;
    return routeOptions(rest, pageAnswer(entry, more ?? {}));
  }
  const { data, ...rest } = described;
  return routeOptions(rest, answer(data));
}

const SECURITY = [{ session: [] }];

/**
 * Checks that every endpoint of this context says what it needs, and adds to its schema what is the same for all: how it
 * is authenticated, and its errors. Every one has 400, 500 and 503, and 401 and 403 unless it needs nothing; 403, 404,
 * 413 and 415 follow from its method and path.
 */
export const impliedSchema = plugin(
  async (app: FastifyInstance) => {
    app.addHook('onRoute', (route) => {
      const { needs, of } = route.config ?? {};
      const name = `${route.method} ${route.url}`;
      if (!needs || !of) throw new Error(`${name} does not say what it needs, and of what`);
      const hasAccount = route.url.includes('/accounts/:accountId');
      if (of === 'account' ? !hasAccount : of === 'self' && hasAccount) {
        throw new Error(`${name} must be of an account, or of the installation, if its path has one`);
      }
      if ((of === 'self') !== (needs === 'nothing' || needs === 'session')) {
        throw new Error(`${name} needs a role of an account or of the installation, or a session of its own`);
      }
      const schema = route.schema ?? {};
      // The walks over every operation find them in the document.
      if (schema.hide || !schema.operationId)
        throw new Error(`${name} would not be in the document, or without a name`);
      if (route.method !== 'GET' && !schema.body) route.preValidation = refuseFields;
      const words = `${wordsOf(needs, of)}${route.config?.confirmed ? CONFIRMED : ''}`;
      route.schema = {
        ...schema,
        description: schema.description ? `${schema.description} ${words}` : words,
        security: needs === 'nothing' ? [] : SECURITY,
        response: { ...(schema.response as object), ...adminErrors(impliedErrors(route)) },
      };
    });
  },
  { name: 'admin-implied-schema' },
);

const CONFIRMED =
  ' Who signed in or confirmed who they are (`/admin/v1/session/confirm`) longer than ten minutes ago gets 403 with the code `CONFIRMATION_NEEDED`.';

function wordsOf(needs: Need, of: Of): string {
  if (needs === 'nothing') return 'Needs no session.';
  if (needs === 'session') return 'Needs a session.';
  return `Needs the role \`${needs}\` of the ${of}.`;
}

function impliedErrors({ url, method, config }: RouteOptions): readonly ErrorStatus[] {
  const unsafe = method !== 'GET';
  const role = config?.needs !== 'nothing' && config?.needs !== 'session';
  const versioned = config?.versioned ?? false;
  return [
    400,
    ...(config?.needs === 'nothing' ? [] : ([401] as const)),
    ...(unsafe || role ? ([403] as const) : []),
    ...(url.includes('/:') ? ([404] as const) : []),
    ...(versioned ? ([412] as const) : []),
    ...bodyErrors(method),
    500,
    503,
  ];
}
