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
import { toCarrierError } from '../http/errors.js';
import type { Plan, RequestPlan } from './plan.js';
import { Authentication } from './request/authentication.js';
import { buildRequest } from './request/request.js';
import type { Variables } from './request/variables.js';

const MAX_REDIRECTS = 3;

export interface VendorClientOptions {
  plan: Plan;
  privateHosts: readonly string[];
  clock: Clock;
  calls: CallSink;
}

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

  /** Rejects with a CarrierError if no token could be obtained, or if the URL with its variables filled in is invalid. */
  async prepare(request: RequestPlan, variables: Variables): Promise<HttpCall> {
    return this.#authentication.authenticate(buildRequest(request, variables));
  }

  async call(call: HttpCall): Promise<HttpAnswer> {
    try {
      const answer = await this.#client.call(call);
      if (answer.status === 401) this.#authentication.discardToken();
      return answer;
    } catch (error) {
      throw toCarrierError(error, this.#plan.vendor);
    }
  }

  /**
   * Follows redirects, because vendors keep MMS files in third-party storage. Only the vendor's hosts receive our
   * credentials.
   * @throws {CarrierError} UNREACHABLE
   */
  async open(address: URL, signal: AbortSignal): Promise<OpenAnswer> {
    let url = address;
    for (let redirects = 0; ; redirects++) {
      const call: HttpCall = { method: 'GET', url };
      const { headers, authorization } = this.#isVendorUrl(url) ? await this.#authentication.authenticate(call) : call;
      const answer = await this.#client.open({ url, headers, authorization, signal }).catch((cause: unknown) => {
        throw CarrierError.unavailable('UNREACHABLE', `${this.#plan.vendor} cannot be reached.`, { cause });
      });
      const { location } = answer.headers;
      const isRedirect = answer.status >= 300 && answer.status <= 399 && typeof location === 'string';
      if (!isRedirect || redirects === MAX_REDIRECTS || !URL.canParse(location, url.href)) return answer;
      discardBody(answer);
      url = new URL(location, url);
      if (!/^https?:$/.test(url.protocol)) return answer;
    }
  }

  #isVendorUrl(url: URL): boolean {
    const { send, fileHosts } = this.#plan;
    if (url.origin === new URL(send.url.replace(/[{}]/g, '')).origin) return true;
    return url.protocol === 'https:' && url.port === '' && fileHosts?.test(url.hostname) === true;
  }

  /** Pending calls fail. */
  close(): Promise<void> {
    return this.#client.close();
  }
}
