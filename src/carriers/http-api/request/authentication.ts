import type { Clock } from '../../../platform/clock.js';
import { CarrierError } from '../../carrier-error.js';
import { type HttpCall, type HttpClient, objectIn } from '../../http/client.js';
import { unanswered } from '../../http/errors.js';
import type { AuthPlan } from '../plan.js';

/** A token is renewed so long before it ends, in milliseconds, that a request with it arrives in time. */
const BEFORE_END_MS = 30_000;
/** Where the vendor does not say how long a token lasts (RFC 6749, 5.1 recommends that it does). */
const UNTOLD_SECONDS = 300;

interface Token {
  value: string;
  /** By the clock of this process, in milliseconds. */
  endsAt: number;
}

export interface AuthenticationOptions {
  auth: AuthPlan;
  client: Pick<HttpClient, 'call'>;
  clock: Clock;
  vendor: string;
}

/** Says in each request who we are. A token that the vendor lends is asked for once for all, and again before it ends. */
export class Authentication {
  readonly #options: AuthenticationOptions;
  #token: Token | null = null;
  #asking: Promise<Token> | null = null;

  constructor(options: AuthenticationOptions) {
    this.#options = options;
  }

  /**
   * The call with who we are.
   * @throws {CarrierError} when no token could be had, or the vendor's own code fails: nothing was sent
   */
  async of(call: HttpCall): Promise<HttpCall> {
    const { auth, clock, vendor } = this.#options;
    switch (auth.kind) {
      case 'none':
        return call;
      case 'basic':
        return { ...call, authorization: basic(auth.username, auth.password) };
      case 'bearer':
        return { ...call, authorization: `Bearer ${auth.token}` };
      case 'header':
        return { ...call, headers: { ...call.headers, [auth.name]: auth.value } };
      case 'query':
        return { ...call, url: withQuery(call.url, auth.values) };
      case 'form':
        return { ...call, form: { ...call.form, ...auth.values } };
      case 'signed':
        return { ...call, authorization: auth.authorization(clock.now()) };
      case 'written':
        return auth.write(call).catch((cause: unknown) => {
          const why = cause instanceof Error ? cause.name : 'not an error';
          throw CarrierError.unavailable('NOT_WRITTEN', `The request to ${vendor} could not be written (${why}).`, {
            cause,
          });
        });
      case 'oauth':
        return { ...call, authorization: `Bearer ${(await this.#current(auth)).value}` };
    }
  }

  /** The vendor refused who we are: a token that was lent is asked for anew. */
  refused(): void {
    this.#token = null;
  }

  #current(auth: Extract<AuthPlan, { kind: 'oauth' }>): Promise<Token> {
    if (this.#token && this.#token.endsAt > this.#options.clock.now().getTime()) return Promise.resolve(this.#token);
    this.#asking ??= this.#ask(auth).finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async #ask({ tokenUrl, clientId, clientSecret, scope }: Extract<AuthPlan, { kind: 'oauth' }>): Promise<Token> {
    const { client, clock, vendor } = this.#options;
    const answer = await client
      .call({
        method: 'POST',
        url: new URL(tokenUrl),
        // RFC 6749, 2.3.1: both are encoded as in a form.
        authorization: basic(inForm(clientId), inForm(clientSecret)),
        form: { grant_type: 'client_credentials', ...(scope !== null && { scope }) },
      })
      .catch((cause: unknown) => {
        // Nothing of the message has left, whatever became of this.
        throw CarrierError.unavailable('UNREACHABLE', unanswered(cause, vendor).message, { cause });
      });
    const { access_token: value, expires_in: lasts } = objectIn(answer) ?? {};
    if (answer.status < 200 || answer.status > 299 || typeof value !== 'string' || value === '') {
      throw CarrierError.unavailable('TOKEN_REFUSED', `${vendor} gave no token (HTTP status ${answer.status}).`, {
        pauseMs: BEFORE_END_MS,
      });
    }
    const seconds = Number(lasts) > 0 ? Number(lasts) : UNTOLD_SECONDS;
    const usable = Math.max(seconds * 500, seconds * 1000 - BEFORE_END_MS);
    this.#token = { value, endsAt: clock.now().getTime() + usable };
    return this.#token;
  }
}

function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function inForm(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

function withQuery(url: URL, values: Readonly<Record<string, string>>): URL {
  const changed = new URL(url);
  for (const [name, value] of Object.entries(values)) changed.searchParams.set(name, value);
  return changed;
}
