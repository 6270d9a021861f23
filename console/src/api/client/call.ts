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

type KeyReturning<Part> = {
  [Key in keyof ConsoleContract]: ConsoleContract[Key] extends Part ? Key : never;
}[keyof ConsoleContract];

/** Method and path of an endpoint that returns `{ data }`. */
export type DataKey = KeyReturning<{ data: unknown }>;
/** Method and path of an endpoint that returns a page of a list. */
export type PageKey = KeyReturning<{ entry: unknown }>;

export type Data<Key extends DataKey> = EndpointData<ConsoleContract[Key]>;
export type Entry<Key extends PageKey> = EndpointEntry<ConsoleContract[Key]>;
export type Body<Key extends DataKey> = EndpointBody<ConsoleContract[Key]>;

/** Widens enums in a query to strings, because query values come from the URL and the server validates them. */
type WithStrings<T> = {
  [Name in keyof T]: (NonNullable<T[Name]> extends string ? string : T[Name]) | null | undefined;
};

type OptionNamed<Name extends string, T> = unknown extends T
  ? unknown
  : Partial<T> extends T
    ? { [Each in Name]?: T }
    : { [Each in Name]: T };

export type PathAndQuery<Key extends keyof ConsoleContract> = OptionNamed<
  'params',
  EndpointParams<ConsoleContract[Key]>
> &
  OptionNamed<'query', WithStrings<EndpointQuery<ConsoleContract[Key]>>>;

interface RequestExtras {
  signal?: AbortSignal | undefined;
  /** Idempotency key, by which the server recognizes a repeated request (see `useSendOnce`). */
  idempotencyKey?: string | undefined;
}

type CallOptions<Key extends keyof ConsoleContract> = PathAndQuery<Key> &
  OptionNamed<'body', EndpointBody<ConsoleContract[Key]>> &
  (ConsoleContract[Key] extends { versioned: true }
    ? { /** Version of the resource that the operator has changed. */ version: string }
    : unknown) &
  RequestExtras;

/** Makes the options optional if an endpoint requires none. */
type CallArguments<T> = Partial<T> extends T ? [options?: T] : [options: T];

export interface UntypedOptions extends RequestExtras {
  params?: Readonly<Record<string, string | number>>;
  query?: Query;
  body?: unknown;
  version?: string;
}

/**
 * Calls an endpoint of `/admin/v1` and returns the `data` of its response, typed by the contract.
 * @param key method and path, for example `GET /accounts/:accountId/apps`
 * @throws {ApiError}
 */
export async function call<Key extends DataKey>(
  key: Key,
  ...[options]: CallArguments<CallOptions<Key>>
): Promise<Data<Key>> {
  return (await sendRequest<{ data: Data<Key> }>(key, options as UntypedOptions | undefined)).data;
}

/** Returns a page of a list with the cursor of the next page. */
export function callPage<Key extends PageKey>(
  key: Key,
  ...[options]: CallArguments<CallOptions<Key>>
): Promise<EndpointAnswer<ConsoleContract[Key]>> {
  return sendRequest<EndpointAnswer<ConsoleContract[Key]>>(key, options as UntypedOptions | undefined);
}

/** Fetches a page with unchecked types, for callers such as `useKeyPages` that check the types themselves. */
export function callAnyPage<T>(key: PageKey, options: UntypedOptions): Promise<ListPage<T>> {
  return sendRequest<ListPage<T>>(key, options);
}

/** No other function assumes, without checking, that a response matches the contract. */
function sendRequest<T>(key: string, { params = {}, ...options }: UntypedOptions = {}): Promise<T> {
  const [method = '', path = ''] = key.split(' ');
  return request<T>(
    method,
    path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? '')),
    options,
  );
}
