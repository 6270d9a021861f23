import { Agent, buildConnector, type Dispatcher, request } from 'undici';
import { createPublicConnector } from './public-connector.js';
import { createDnsResolver, type Resolve } from './resolver.js';

export type PrivateAccess =
  | { allowPrivate: boolean; resolve?: Resolve | undefined }
  /** Written as in URLs. */
  | { privateHosts: readonly string[] };

export interface GuardedHttpOptions {
  privateAccess: PrivateAccess;
  connectTimeoutMs: number;
  agent?: Omit<Agent.Options, 'connect' | 'connectTimeout'>;
}

type RequestOptions = Omit<NonNullable<Parameters<typeof request>[1]>, 'dispatcher'>;

/**
 * HTTP client for URLs that come from the console or the API. GuardedHttp follows no redirects, and ignores proxies set in the
 * environment. A lint rule (src/one-http-client.grit) allows other HTTP clients only for servers that a setting names.
 */
export class GuardedHttp {
  readonly #agent: Agent;

  constructor({ privateAccess, connectTimeoutMs, agent }: GuardedHttpOptions) {
    this.#agent = new Agent({ ...agent, connect: createConnector(privateAccess, connectTimeoutMs) });
  }

  /** Rejects with undici's errors or with a PrivateAddressError, which may also be the `cause`. */
  request(
    url: string | URL,
    options: RequestOptions,
    interceptor?: Dispatcher.DispatcherComposeInterceptor,
  ): ReturnType<typeof request> {
    const dispatcher = interceptor ? this.#agent.compose(interceptor) : this.#agent;
    return request(url, { ...options, dispatcher });
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

function createConnector(privateAccess: PrivateAccess, timeoutMs: number): buildConnector.connector {
  if ('allowPrivate' in privateAccess) {
    const { allowPrivate, resolve = createDnsResolver({ systemNames: allowPrivate }) } = privateAccess;
    return createPublicConnector({ allowPrivate, resolve, timeoutMs });
  }
  const allowedHosts = new Set(privateAccess.privateHosts.map((host) => host.toLowerCase()));
  const connectAnywhere = buildConnector({ timeout: timeoutMs });
  const connectPublic = createPublicConnector({
    allowPrivate: false,
    resolve: createDnsResolver({ systemNames: false }),
    timeoutMs,
  });
  return (options, callback) => {
    const host = options.hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
    if (allowedHosts.has(host)) connectAnywhere({ ...options, hostname: host }, callback);
    else connectPublic(options, callback);
  };
}
