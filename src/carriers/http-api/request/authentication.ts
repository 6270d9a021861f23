import type { Clock } from '../../../platform/clock.js';
import { CarrierError } from '../../carrier-error.js';
import { type HttpCall, type HttpClient, parseJsonObject } from '../../http/client.js';
import { toCarrierError } from '../../http/errors.js';
import type { AuthPlan } from '../plan.js';

/** Tokens are renewed this long before they expire, so that no token expires while a request is on its way. */
const RENEWAL_MARGIN_MS = 30_000;
/** Assumed lifetime of a token whose response has no `expires_in`, which RFC 6749, 5.1 only recommends. */
const DEFAULT_TOKEN_SECONDS = 300;

interface Token {
  value: string;
  expiresAt: number;
}

export interface AuthenticationOptions {
  auth: AuthPlan;
  client: Pick<HttpClient, 'call'>;
  clock: Clock;
  vendor: string;
}

export class Authentication {
  readonly #options: AuthenticationOptions;
  #token: Token | null = null;
  #pendingToken: Promise<Token> | null = null;

  constructor(options: AuthenticationOptions) {
    this.#options = options;
  }

  /** Rejects with a CarrierError if no token could be obtained or the vendor's SDK failed, so that no request was sent. */
  async authenticate(call: HttpCall): Promise<HttpCall> {
    const { auth, clock, vendor } = this.#options;
    switch (auth.kind) {
      case 'none':
        return call;
      case 'basic':
        return { ...call, authorization: buildBasicHeader(auth.username, auth.password) };
      case 'bearer':
        return { ...call, authorization: `Bearer ${auth.token}` };
      case 'header':
        return { ...call, headers: { ...call.headers, [auth.name]: auth.value } };
      case 'query':
        return { ...call, url: addQuery(call.url, auth.values) };
      case 'form':
        return { ...call, form: { ...call.form, ...auth.values } };
      case 'signed':
        return { ...call, authorization: auth.authorization(clock.now()) };
      case 'written':
        return auth.write(call).catch((cause: unknown) => {
          const reason = cause instanceof Error ? cause.name : 'not an error';
          throw CarrierError.unavailable('NOT_WRITTEN', `The request to ${vendor} could not be built (${reason}).`, {
            cause,
          });
        });
      case 'oauth':
        return { ...call, authorization: `Bearer ${(await this.#currentToken(auth)).value}` };
    }
  }

  discardToken(): void {
    this.#token = null;
  }

  #currentToken(auth: Extract<AuthPlan, { kind: 'oauth' }>): Promise<Token> {
    if (this.#token && this.#token.expiresAt > this.#options.clock.now().getTime()) return Promise.resolve(this.#token);
    this.#pendingToken ??= this.#requestToken(auth).finally(() => {
      this.#pendingToken = null;
    });
    return this.#pendingToken;
  }

  async #requestToken({
    tokenUrl,
    clientId,
    clientSecret,
    scope,
  }: Extract<AuthPlan, { kind: 'oauth' }>): Promise<Token> {
    const { client, clock, vendor } = this.#options;
    const answer = await client
      .call({
        method: 'POST',
        url: new URL(tokenUrl),
        // The client ID and the secret must be form-encoded first (RFC 6749, 2.3.1).
        authorization: buildBasicHeader(encodeForForm(clientId), encodeForForm(clientSecret)),
        form: { grant_type: 'client_credentials', ...(scope !== null && { scope }) },
      })
      .catch((cause: unknown) => {
        // If the token request fails, for any reason, the message has not been sent.
        throw CarrierError.unavailable('UNREACHABLE', toCarrierError(cause, vendor).message, { cause });
      });
    const { access_token: value, expires_in: lifetime } = parseJsonObject(answer) ?? {};
    if (answer.status < 200 || answer.status > 299 || typeof value !== 'string' || value === '') {
      throw CarrierError.unavailable('TOKEN_REFUSED', `${vendor} returned no token (HTTP status ${answer.status}).`, {
        pauseMs: RENEWAL_MARGIN_MS,
      });
    }
    const seconds = Number(lifetime) > 0 ? Number(lifetime) : DEFAULT_TOKEN_SECONDS;
    const usableMs = Math.max(seconds * 500, seconds * 1000 - RENEWAL_MARGIN_MS);
    this.#token = { value, expiresAt: clock.now().getTime() + usableMs };
    return this.#token;
  }
}

function buildBasicHeader(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function encodeForForm(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

function addQuery(url: URL, values: Readonly<Record<string, string>>): URL {
  const changedUrl = new URL(url);
  for (const [name, value] of Object.entries(values)) changedUrl.searchParams.set(name, value);
  return changedUrl;
}
