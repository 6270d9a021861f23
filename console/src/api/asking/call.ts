import type { ConsoleContract } from '../../../../src/surfaces/admin/contract/console.js';
import type {
  EndpointAnswer,
  EndpointBody,
  EndpointData,
  EndpointEntry,
  EndpointParams,
  EndpointQuery,
} from '../../../../src/surfaces/admin/contract/contract.js';
import { type ListPage, type Query, request } from './request.js';

type KeyWith<Part> = {
  [Key in keyof ConsoleContract]: ConsoleContract[Key] extends Part ? Key : never;
}[keyof ConsoleContract];

/** An endpoint that answers `{ data }`, by its method and path. */
export type DataKey = KeyWith<{ data: unknown }>;
/** An endpoint that answers a page of a list. */
export type PageKey = KeyWith<{ entry: unknown }>;

/** What an endpoint answers. */
export type Data<Key extends DataKey> = EndpointData<ConsoleContract[Key]>;
/** An entry of the list that an endpoint answers. */
export type Entry<Key extends PageKey> = EndpointEntry<ConsoleContract[Key]>;
/** What an endpoint is sent. */
export type Body<Key extends DataKey> = EndpointBody<ConsoleContract[Key]>;

/** Texts of an address may be any: the server says which it knows. */
type Loose<T> = { [Name in keyof T]: (NonNullable<T[Name]> extends string ? string : T[Name]) | null | undefined };

type Named<Name extends string, T> = unknown extends T
  ? unknown
  : Partial<T> extends T
    ? { [Each in Name]?: T }
    : { [Each in Name]: T };

/** What the path and the address of an endpoint are made of. */
export type Where<Key extends keyof ConsoleContract> = Named<'params', EndpointParams<ConsoleContract[Key]>> &
  Named<'query', Loose<EndpointQuery<ConsoleContract[Key]>>>;

interface Aside {
  signal?: AbortSignal | undefined;
  /** By which the server knows a repetition, see `useOnce`. */
  idempotencyKey?: string | undefined;
}

type Asked<Key extends keyof ConsoleContract> = Where<Key> &
  Named<'body', EndpointBody<ConsoleContract[Key]>> &
  (ConsoleContract[Key] extends { versioned: true }
    ? { /** The `version` of what is changed, as it was when the change was begun. */ version: string }
    : unknown) &
  Aside;

/** Nothing need be said to an endpoint that asks for nothing. */
type Arguments<T> = Partial<T> extends T ? [asked?: T] : [asked: T];

/** What any endpoint may be asked with, where the types of one have been checked already. */
export interface Untyped extends Aside {
  params?: Readonly<Record<string, string | number>>;
  query?: Query;
  body?: unknown;
  version?: string;
}

/**
 * Asks an endpoint of `/admin/v1` as its contract says, and gives back the `data` of the answer.
 * @param key its method and path, e.g. `GET /accounts/:accountId/apps`
 * @throws {ApiError}
 */
export async function call<Key extends DataKey>(key: Key, ...[asked]: Arguments<Asked<Key>>): Promise<Data<Key>> {
  return (await answerOf<{ data: Data<Key> }>(key, asked as Untyped | undefined)).data;
}

/** As `call`, of an endpoint that answers a page of a list: with the cursor of the next one. */
export function callPage<Key extends PageKey>(
  key: Key,
  ...[asked]: Arguments<Asked<Key>>
): Promise<EndpointAnswer<ConsoleContract[Key]>> {
  return answerOf<EndpointAnswer<ConsoleContract[Key]>>(key, asked as Untyped | undefined);
}

/** A page of whichever list: for what is told the endpoint itself, such as `useKeyPages`, whose caller `Where` has checked. */
export function pageOf<T>(key: PageKey, asked: Untyped): Promise<ListPage<T>> {
  return answerOf<ListPage<T>>(key, asked);
}

/** The one place where the console believes that an answer is what the contract says. */
function answerOf<T>(key: string, asked: Untyped = {}): Promise<T> {
  const { params = {}, ...options } = asked;
  const [method = '', path = ''] = key.split(' ');
  return request<T>(
    method,
    path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? '')),
    options,
  );
}
