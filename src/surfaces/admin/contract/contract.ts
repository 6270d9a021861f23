import type { Static, TProperties, TSchema } from '@sinclair/typebox';
import type { ErrorStatus } from '../errors.js';

/**
 * What an endpoint requires of the caller: nothing, a session, or a role. A GET needs `viewer`, a change `developer` or `owner`;
 * see docs/console.md.
 */
export type Need = 'nothing' | 'session' | 'viewer' | 'developer' | 'owner';
/** Where the role is required: nowhere (the operator's own data), for the account of `:accountId`, or for the installation. */
export type RoleScope = 'self' | 'account' | 'installation';

/** For endpoints that show data of an account, and for changes that do not need an owner. */
export const READ = { needs: 'viewer', of: 'account' } as const;
export const WRITE = { needs: 'developer', of: 'account' } as const;

/** Describes an endpoint. */
export interface EndpointDescription<Params, Query, Body> {
  needs: Need;
  of: RoleScope;
  operationId: `console${string}`;
  summary: string;
  description?: string;
  params?: Params;
  query?: Query;
  body?: Body;
  /** The operator must have signed in or confirmed recently; see `requireConfirmed`. */
  confirmed?: true;
  /** The handler must call `requireVersion`. */
  versioned?: true;
  /** Maximum bytes of the body, if it differs from the default. */
  bodyLimit?: number;
  /** The handler, not the body parser, refuses texts that cannot be stored. */
  checksTexts?: true;
  /** Errors in addition to those of every endpoint and those implied by its schema (impliedSchema). */
  errors?: readonly ErrorStatus[];
}

type Any = EndpointDescription<TSchema, TSchema, TSchema>;
/** An endpoint that answers `{ data }`. */
export type DataEndpoint = Any & { data: TSchema };
/** An endpoint that answers a page, `{ data: […], next }`. `pageQuery` creates its query. */
export type PageEndpoint = Any & { entry: TSchema /** Further fields, such as `total`. */; more?: TProperties };
export type Endpoint = DataEndpoint | PageEndpoint;

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** Method and path below `/admin/v1`. */
export type Key = `${Method} /${string}`;

/**
 * The endpoints of one resource. The server registers routes for them (`registerRoutes`); the console uses only their types, for its
 * calls (`call`).
 */
export type Contract = Readonly<Record<Key, Endpoint>>;

type StaticMember<T, Name extends string, Absent> = T extends { [Each in Name]: infer Schema extends TSchema }
  ? Static<Schema>
  : Absent;

export type EndpointParams<T> = StaticMember<T, 'params', unknown>;
export type EndpointQuery<T> = StaticMember<T, 'query', unknown>;
export type EndpointBody<T> = StaticMember<T, 'body', unknown>;
/** The data of an endpoint that answers `{ data }`. */
export type EndpointData<T> = StaticMember<T, 'data', never>;
/** An entry of a page. */
export type EndpointEntry<T> = StaticMember<T, 'entry', never>;
type EndpointMore<T> = T extends { more: infer More extends TProperties }
  ? { [Name in keyof More]: Static<More[Name]> }
  : unknown;

/** The whole answer in case of success. */
export type EndpointAnswer<T> = T extends { entry: TSchema }
  ? { data: EndpointEntry<T>[]; next: string | null } & EndpointMore<T>
  : { data: EndpointData<T> };
