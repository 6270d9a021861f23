import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { TProperties, TSchema } from '@sinclair/typebox';
import type { FastifyInstance, RouteOptions } from 'fastify';
import plugin from 'fastify-plugin';
import { answer, pageAnswer } from './answers.js';
import { closed } from './closed.js';
import { adminErrors, type ErrorStatus } from './errors.js';
import { refuseFields } from './no-fields.js';
import { VersionHeaders } from './version-schemas.js';

/** The endpoints of one resource, relative to `/admin/v1`, with the options that their use cases need. */
export type Endpoints<Options extends object> = FastifyPluginAsyncTypebox<Options>;

/**
 * What an endpoint asks of the caller: nothing, a session, or a role.
 * GETs need `viewer`, what changes things needs `developer` or `owner`; see docs/console.md.
 */
export type Need = 'nothing' | 'session' | 'viewer' | 'developer' | 'owner';
/** Where the role must be held: the operator's own things, the account of `:accountId`, or the installation. */
export type Of = 'self' | 'account' | 'installation';

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

/** What every endpoint says about itself. */
interface Common<Params, Query, Body> {
  needs: Need;
  of: Of;
  /** Begins with `console`. */
  operationId: `console${string}`;
  summary: string;
  description?: string;
  params?: Params;
  querystring?: Query;
  body?: Body;
  /** The operator must have proved lately who they are, see `requireConfirmed`. */
  confirmed?: true;
  /** Its handler asks `requireVersion`. */
  versioned?: true;
  /** Errors beside those that every endpoint has, and those that follow from its schema (see impliedSchema). */
  errors?: readonly ErrorStatus[];
}

type Optional = TSchema | undefined;

/** Makes the route options of an endpoint that answers `{ data }`; its handler gives `ok(data)`. */
export function endpoint<
  P extends Optional = undefined,
  Q extends Optional = undefined,
  B extends Optional = undefined,
  D extends TSchema = TSchema,
>({ data, ...description }: Common<P, Q, B> & { data: D }) {
  return routeOptions(description, answer(data));
}

/**
 * Makes the route options of an endpoint that answers a page, `{ data: […], next }`; its query is made by `pageQuery`, and
 * its handler gives `page(entries, next)`.
 */
export function pageEndpoint<
  P extends Optional = undefined,
  Q extends Optional = undefined,
  B extends Optional = undefined,
  D extends TSchema = TSchema,
  M extends TProperties = Record<never, never>,
>({ entry, more, ...description }: Common<P, Q, B> & { entry: D /** Further fields, such as `total`. */; more?: M }) {
  return routeOptions(description, pageAnswer(entry, more ?? ({} as M)));
}

function routeOptions<P, Q, B extends Optional, A>(
  { needs, of, confirmed, versioned, errors = [], body, ...schema }: Common<P, Q, B>,
  success: A,
) {
  return {
    config: { needs, of, confirmed, versioned },
    schema: {
      ...schema,
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

const SECURITY = [{ session: [] }];

/**
 * Checks that every endpoint of this context says what it needs, and adds to its schema what is the same for all: how it
 * is authenticated, and its errors. Every one has 400, 500 and 503, and 401 and 403 unless it needs nothing; 403, 404,
 * 413 and 415 follow from its method, path and schema.
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

function impliedErrors({ url, method, schema, config }: RouteOptions): readonly ErrorStatus[] {
  const unsafe = method !== 'GET';
  const role = config?.needs !== 'nothing' && config?.needs !== 'session';
  const versioned = config?.versioned ?? false;
  return [
    400,
    ...(config?.needs === 'nothing' ? [] : ([401] as const)),
    ...(unsafe || role ? ([403] as const) : []),
    ...(url.includes('/:') ? ([404] as const) : []),
    ...(versioned ? ([412] as const) : []),
    ...(schema?.body ? ([413] as const) : []),
    ...(unsafe ? ([415] as const) : []),
    500,
    503,
  ];
}
