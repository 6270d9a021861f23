import type { Clock } from '../../platform/clock.js';
import { type CallSink, type HttpAnswer, type HttpCall, HttpClient } from '../http/client.js';
import { unanswered } from '../http/errors.js';
import type { Plan, RequestPlan } from './plan.js';
import { Authentication } from './request/authentication.js';
import { requestOf } from './request/request.js';
import type { Variables } from './request/variables.js';

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

  /** Ends every connection; calls under way get no answer. */
  close(): Promise<void> {
    return this.#client.close();
  }
}
