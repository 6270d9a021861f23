import type { Static, TProperties, TSchema } from '@sinclair/typebox';
import type { ErrorStatus } from '../errors.js';

/** GET requires the role `viewer`, and changes require `developer` or `owner` (docs/console/roles.md). */
export type RequiredAccess = 'nothing' | 'session' | 'viewer' | 'developer' | 'owner';
/**
 * Whose data the endpoint concerns: the operator's own (`self`, which requires no role), the account's or the installation's.
 */
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
  /** Set if the operator must have signed in or confirmed their identity recently (`requireConfirmed`). */
  confirmed?: true;
  /** Set if the handler must call `requireVersion`. */
  versioned?: true;
  /** Maximum request body in bytes, absent for the default. */
  bodyLimit?: number;
  /** Set if the handler, and not the body parser, refuses texts that cannot be stored. */
  checksTexts?: true;
  errors?: readonly ErrorStatus[];
}

type AnyDescription = EndpointDescription<TSchema, TSchema, TSchema>;
export type DataEndpoint = AnyDescription & { data: TSchema };
export type PageEndpoint = AnyDescription & {
  entry: TSchema /** Further response fields, such as `total`. */;
  more?: TProperties;
};
export type Endpoint = DataEndpoint | PageEndpoint;

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** Method and path below `/admin/v1`. */
export type Key = `${Method} /${string}`;

/** The server registers routes for these endpoints, and the console uses only their types. */
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
