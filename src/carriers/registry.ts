import type { Logger } from 'pino';
import type { Clock } from '../clock.js';
import type { Config } from '../config.js';
import { type Carrier, CarrierError, type CarrierSinks } from './carrier.js';
import { Simulator } from './simulator/simulator.js';

/** Names that a channel may give for its carrier. */
export const CARRIER_NAMES: readonly string[] = [Simulator.carrierName];

/** The carriers of this process, by name. */
export class CarrierRegistry {
  readonly #carriers: ReadonlyMap<string, Carrier>;

  constructor(carriers: readonly Carrier[]) {
    this.#carriers = new Map(carriers.map((carrier) => [carrier.name, carrier]));
  }

  /** @throws {CarrierError} UNKNOWN_CARRIER, retryable: another process may be configured for it */
  get(name: string): Carrier {
    const carrier = this.#carriers.get(name);
    if (carrier) return carrier;
    throw new CarrierError('UNKNOWN_CARRIER', `No carrier named ${name} is configured.`, {
      retryable: true,
      notTried: true,
    });
  }

  /** Messages per second that a carrier takes; null for no limit, and for carriers of other processes. */
  rateOf(name: string): number | null {
    return this.#carriers.get(name)?.ratePerSecond ?? null;
  }

  /** Names of the carriers that can be asked for receipts again. */
  repeating(): string[] {
    return [...this.#carriers.values()].filter((carrier) => carrier.repeatReceipts).map((carrier) => carrier.name);
  }

  /** Name of the carrier that an account's SMS go to. */
  smsCarrierName(): string {
    return Simulator.carrierName;
  }

  async start(sinks: CarrierSinks): Promise<void> {
    for (const carrier of this.#carriers.values()) await carrier.start(sinks);
  }

  async close(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#carriers.values()].map((carrier) => carrier.close(signal)));
  }
}

/** Makes the carriers that the configuration names. */
export function openCarriers(config: Config, context: { log: Logger; clock: Clock }): CarrierRegistry {
  return new CarrierRegistry([new Simulator({ delayMs: config.simulatorDelayMs, ...context })]);
}
