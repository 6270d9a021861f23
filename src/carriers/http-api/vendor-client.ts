import type { Clock } from '../../platform/clock.js';
import { CarrierError } from '../carrier-error.js';
import {
  type CallSink,
  discardBody,
  type HttpAnswer,
  type HttpCall,
  HttpClient,
  type OpenAnswer,
} from '../http/client.js';
import { unanswered } from '../http/errors.js';
import type { Plan, RequestPlan } from './plan.js';
import { Authentication } from './request/authentication.js';
import { requestOf } from './request/request.js';
import type { Variables } from './request/variables.js';

const MOST_REDIRECTS = 3;

export interface VendorClientOptions {
  plan: Plan;
  privateHosts: readonly string[];
  clock: Clock;
  calls: CallSink;
}

/** Asks a vendor, as its plan says. */
export class VendorClient {
  readonly #plan: Plan;
  readonly #client: HttpClient;
  readonly #authentication: Authentication;

  constructor({ plan, privateHosts, clock, calls }: VendorClientOptions) {
    const { timeoutMs, auth, vendor } = plan;
    this.#plan = plan;
    this.#client = new HttpClient({ timeoutMs, calls, privateHosts });
    this.#authentication = new Authentication({ auth, client: this.#client, clock, vendor });
  }

  /**
   * A request with who we are, ready to go.
   * @throws {CarrierError} when it cannot be made: no token could be had, or a value makes an address that is none
   */
  async prepare(request: RequestPlan, variables: Variables): Promise<HttpCall> {
    return this.#authentication.of(requestOf(request, variables));
  }

  /** @throws {CarrierError} when no whole answer came */
  async ask(call: HttpCall): Promise<HttpAnswer> {
    try {
      const answer = await this.#client.call(call);
      if (answer.status === 401) this.#authentication.refused();
      return answer;
    } catch (error) {
      throw unanswered(error, this.#plan.vendor);
    }
  }

  /**
   * Opens a file of an MMS. The vendor's hosts get our credentials, no other one does. Redirects are followed, because vendors keep
   * files in stores of others.
   * @throws {CarrierError} UNREACHABLE if no answer began to come
   */
  async open(address: URL, signal: AbortSignal): Promise<OpenAnswer> {
    let url = address;
    for (let redirects = 0; ; redirects++) {
      const call: HttpCall = { method: 'GET', url };
      const { headers, authorization } = this.#isVendors(url) ? await this.#authentication.of(call) : call;
      const answer = await this.#client.open({ url, headers, authorization, signal }).catch((cause: unknown) => {
        throw CarrierError.unavailable('UNREACHABLE', `${this.#plan.vendor} cannot be reached.`, { cause });
      });
      const { location } = answer.headers;
      const isRedirect = answer.status >= 300 && answer.status <= 399 && typeof location === 'string';
      if (!isRedirect || redirects === MOST_REDIRECTS || !URL.canParse(location, url.href)) return answer;
      discardBody(answer);
      url = new URL(location, url);
      if (!/^https?:$/.test(url.protocol)) return answer;
    }
  }

  /** By HTTPS, or at the very place that the settings name. */
  #isVendors(url: URL): boolean {
    const { send, fileHosts } = this.#plan;
    if (url.origin === new URL(send.url.replace(/[{}]/g, '')).origin) return true;
    return url.protocol === 'https:' && url.port === '' && fileHosts?.test(url.hostname) === true;
  }

  /** Ends every connection; calls under way get no answer. */
  close(): Promise<void> {
    return this.#client.close();
  }
}
