import type { Static, TProperties, TSchema } from '@sinclair/typebox';
import type { ErrorStatus } from '../errors.js';

/**
 * What an endpoint asks of the caller: nothing, a session, or a role.
 * GETs need `viewer`, what changes things needs `developer` or `owner`; see docs/console.md.
 */
export type Need = 'nothing' | 'session' | 'viewer' | 'developer' | 'owner';
/** Where the role must be held: the operator's own things, the account of `:accountId`, or the installation. */
export type Of = 'self' | 'account' | 'installation';

/** What shows something of an account, and what changes it as long as it is no matter of its owners. */
export const READ = { needs: 'viewer', of: 'account' } as const;
export const WRITE = { needs: 'developer', of: 'account' } as const;

/** What every endpoint says about itself. */
export interface Described<Params, Query, Body> {
  needs: Need;
  of: Of;
  /** Begins with `console`. */
  operationId: `console${string}`;
  summary: string;
  description?: string;
  params?: Params;
  query?: Query;
  body?: Body;
  /** The operator must have proved lately who they are, see `requireConfirmed`. */
  confirmed?: true;
  /** Its handler asks `requireVersion`. */
  versioned?: true;
  /** Bytes of its body, where it takes more than others. */
  bodyLimit?: number;
  /** Its handler refuses texts that cannot be stored, not the reading of the body. */
  checksTexts?: true;
  /** Errors beside those that every endpoint has, and those that follow from its schema (see impliedSchema). */
  errors?: readonly ErrorStatus[];
}

type Any = Described<TSchema, TSchema, TSchema>;
/** An endpoint that answers `{ data }`. */
export type DataEndpoint = Any & { data: TSchema };
/** One that answers a page, `{ data: […], next }`; its query is made by `pageQuery`. */
export type PageEndpoint = Any & { entry: TSchema /** Further fields, such as `total`. */; more?: TProperties };
export type Endpoint = DataEndpoint | PageEndpoint;

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** Method and path below `/admin/v1`. */
export type Key = `${Method} /${string}`;

/**
 * The endpoints of one resource: the server makes its routes of them (`routesOf`), and the console, which takes their types
 * alone, its calls (`call`).
 */
export type Contract = Readonly<Record<Key, Endpoint>>;

type StaticOf<T, Name extends string, Absent> = T extends { [Each in Name]: infer Schema extends TSchema }
  ? Static<Schema>
  : Absent;

export type ParamsOf<T> = StaticOf<T, 'params', unknown>;
export type QueryOf<T> = StaticOf<T, 'query', unknown>;
export type BodyOf<T> = StaticOf<T, 'body', unknown>;
/** What an endpoint that answers `{ data }` tells. */
export type DataOf<T> = StaticOf<T, 'data', never>;
/** An entry of the page that an endpoint answers. */
export type EntryOf<T> = StaticOf<T, 'entry', never>;
type MoreOf<T> = T extends { more: infer More extends TProperties }
  ? { [Name in keyof More]: Static<More[Name]> }
  : unknown;

/** The whole answer of a success. */
export type AnswerOf<T> = T extends { entry: TSchema }
  ? { data: EntryOf<T>[]; next: string | null } & MoreOf<T>
  : { data: DataOf<T> };
