import type { Static, TProperties, TSchema } from '@sinclair/typebox';
import type { ErrorStatus } from '../errors.js';

/** GET requires `viewer`, changes require `developer` or `owner`; see docs/console.md. */
export type RequiredAccess = 'nothing' | 'session' | 'viewer' | 'developer' | 'owner';
/** What the role must apply to. `self` is the operator's own data and needs no role. */
export type RoleScope = 'self' | 'account' | 'installation';

export const READ = { needs: 'viewer', roleScope: 'account' } as const;
export const WRITE = { needs: 'developer', roleScope: 'account' } as const;

export interface EndpointDescription<Params, Query, Body> {
  needs: RequiredAccess;
  roleScope: RoleScope;
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
  /** In bytes; absent for the default. */
  bodyLimit?: number;
  /** The handler refuses texts that cannot be stored; the body parser does not check them. */
  checksTexts?: true;
  errors?: readonly ErrorStatus[];
}

type AnyDescription = EndpointDescription<TSchema, TSchema, TSchema>;
export type DataEndpoint = AnyDescription & { data: TSchema };
export type PageEndpoint = AnyDescription & {
  entry: TSchema /** Further fields, such as `total`. */;
  more?: TProperties;
};
export type Endpoint = DataEndpoint | PageEndpoint;

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** Method and path below `/admin/v1`. */
export type Key = `${Method} /${string}`;

/** The server registers routes for these endpoints. The console uses only their types. */
export type Contract = Readonly<Record<Key, Endpoint>>;

type StaticMember<T, Name extends string, Absent> = T extends { [Each in Name]: infer Schema extends TSchema }
  ? Static<Schema>
  : Absent;

export type EndpointParams<T> = StaticMember<T, 'params', unknown>;
export type EndpointQuery<T> = StaticMember<T, 'query', unknown>;
export type EndpointBody<T> = StaticMember<T, 'body', unknown>;
export type EndpointData<T> = StaticMember<T, 'data', never>;
export type EndpointEntry<T> = StaticMember<T, 'entry', never>;
type EndpointMore<T> = T extends { more: infer More extends TProperties }
  ? { [Name in keyof More]: Static<More[Name]> }
  : unknown;

export type EndpointAnswer<T> = T extends { entry: TSchema }
  ? { data: EndpointEntry<T>[]; next: string | null } & EndpointMore<T>
  : { data: EndpointData<T> };
