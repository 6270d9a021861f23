import type pg from 'pg';
import type { Logger } from 'pino';
import type { Clock } from '../../platform/clock.js';
import { readEnvironment } from '../../platform/machine/environment.js';
import type { Carrier, CarrierSinks } from '../carrier.js';
import { CarrierError } from '../carrier-error.js';
import type { CarrierType } from '../carrier-type.js';
import type { CallLog } from '../http/call-log.js';
import { formOf, lookUpSecrets, resolveSettings, type SettingValues, unsupportedSettings } from '../settings.js';
import { BUILT_IN_TYPES, builtInType, CARRIER_TYPES, carrierType } from '../types.js';
import { CarrierActivity } from './carrier-activity.js';
import { type CarrierRow, loadCarriers } from './carrier-store.js';
import { ReloadLoop } from './reload-loop.js';

/** How long a carrier that is replaced or removed may go on with what it has begun. */
const LEAVE_MS = 5_000;

export interface CarrierRegistryOptions {
  pool: pg.Pool;
  log: Logger;
  clock: Clock;
  /** Keeps what carriers over HTTP were asked and answered. */
  calls: Pick<CallLog, 'of'>;
  /** Hosts that carriers over HTTP may reach at private addresses; none unless told. */
  privateHosts?: readonly string[];
  /** Settings of the built-in carriers, by name; where there are none, their defaults. */
  builtIn?: Readonly<Record<string, SettingValues>>;
  /** Carrier of the SMS that no route leads elsewhere. */
  smsCarrier: string;
  /** Where `env:NAME` of a setting is looked up; unless told, as the configuration is. */
  env?: NodeJS.ProcessEnv;
  /** Those that operators set carriers up of; CARRIER_TYPES unless told. */
  types?: readonly CarrierType[];
}

/** A row, or what stands for one of a built-in carrier, and what became of it in this process. */
interface Entry {
  /** The row as text, by which a change is seen. */
  row: string;
  /** The secrets that stand elsewhere, as text; null where they could not be read. */
  secrets: string | null;
  /** Null when it cannot be opened. */
  carrier: Carrier | null;
  /** Why it cannot be opened; empty when it can. */
  reason: string;
  /** False for a carrier that an operator disabled. It takes no messages, but what it reports still counts. */
  isActive: boolean;
  /** It is being closed, because it was changed or removed. Until then its callbacks can still be verified. */
  isLeaving?: boolean;
}

/** A carrier that is set up and switched on, as it is in this process. */
export interface PresentCarrier {
  name: string;
  /** Null when it cannot be opened. */
  carrier: Carrier | null;
  /** Why not. */
  reason: string;
}

/**
 * The carriers of this process, by name: the built-in ones, and those that operators have set up. Every process looks at
 * their table every two seconds, and opens, replaces and closes what has changed.
 */
export class CarrierRegistry {
  /** Of which its carriers can be. */
  readonly types: readonly CarrierType[];
  /** What they do, counted by whoever hands messages to them. */
  readonly activity: CarrierActivity;
  readonly #options: CarrierRegistryOptions;
  readonly #builtIn: readonly CarrierRow[];
  readonly #entries = new Map<string, Entry>();
  readonly #loop: ReloadLoop;
  #sinks: CarrierSinks | null = null;
  #turn: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: CarrierRegistryOptions) {
    const { log, types = CARRIER_TYPES, builtIn = {} } = options;
    this.#options = options;
    this.activity = new CarrierActivity(options.clock);
    this.types = [...BUILT_IN_TYPES, ...types];
    this.#builtIn = BUILT_IN_TYPES.map(({ type }) => ({
      name: type,
      type,
      settings: builtIn[type] ?? {},
      isActive: true,
    }));
    this.#loop = new ReloadLoop('carriers', { log, reload: () => this.reload() });
  }

  /** Hosts that carriers over HTTP may reach at private addresses. */
  get privateHosts(): readonly string[] {
    return this.#options.privateHosts ?? [];
  }

  /** Reads the table for the first time, and from then on again and again. */
  open(): Promise<void> {
    return this.#loop.open();
  }

  /**
   * The carrier to submit a message to.
   * @throws {CarrierError} UNKNOWN_CARRIER, retryable: an operator may set it up, enable or fix it at any time
   */
  get(name: string): Carrier {
    const carrier = this.find(name);
    if (carrier) return carrier;
    const text = `The carrier ${name} cannot be used: ${whyUnusable(this.#entries.get(name))}.`;
    throw CarrierError.unavailable('UNKNOWN_CARRIER', text);
  }

  /** The carrier to submit a message to; null when there is none of this name, or when it takes no messages. */
  find(name: string): Carrier | null {
    const entry = this.#entries.get(name);
    return entry?.isActive && !entry.isLeaving ? entry.carrier : null;
  }

  /** The carrier whose reports and files are received, enabled or not; null when there is none, or it cannot be opened. */
  findReceiving(name: string): Carrier | null {
    return this.#entries.get(name)?.carrier ?? null;
  }

  /** Whether a carrier of this name is set up, whether or not it could be opened. */
  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** Messages per second that a carrier takes; null for no limit, and for carriers that this process does not have. */
  rateOf(name: string): number | null {
    return this.find(name)?.ratePerSecond ?? null;
  }

  /** Names of the carriers that can be asked for receipts again, disabled ones included. */
  repeating(): string[] {
    return this.#all()
      .filter((carrier) => carrier.repeatReceipts)
      .map((carrier) => carrier.name);
  }

  /** Those that operators have set up and switched on. */
  present(): PresentCarrier[] {
    return [...this.#entries]
      .filter(([name, { isActive }]) => isActive && !builtInType(name))
      .map(([name, { carrier, reason }]) => ({ name, carrier, reason }));
  }

  /** Of all that are built in or set up, also of those that are switched off or cannot be opened. */
  names(): string[] {
    return [...this.#entries.keys()];
  }

  /** Name of the carrier that SMS go to where no route says otherwise. */
  smsCarrierName(): string {
    return this.#options.smsCarrier;
  }

  /** Lets all carriers, and those that are set up later, hand over what comes to them. */
  start(sinks: CarrierSinks): Promise<void> {
    return this.#inTurn(async () => {
      this.#sinks = sinks;
      for (const [name, { carrier }] of this.#entries) if (carrier) await this.#begin(name, carrier);
    });
  }

  /**
   * Obeys the table as it is now. What did not change goes on undisturbed.
   * @throws what PostgreSQL throws
   */
  reload(): Promise<void> {
    return this.#inTurn(() => this.#reload());
  }

  /** May be called again. */
  async close(signal: AbortSignal): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#loop.close();
    await this.#turn.catch(() => undefined);
    await Promise.all(this.#all().map((carrier) => this.#leave(carrier, signal)));
  }

  /** One at a time, so that no carrier is opened or started twice. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.catch(() => undefined).then(work);
    return this.#turn;
  }

  #all(): Carrier[] {
    return [...this.#entries.values()].flatMap(({ carrier }) => carrier ?? []);
  }

  async #reload(): Promise<void> {
    if (this.#closed) return;
    const setUp = (await loadCarriers(this.#options.pool)).filter(({ name }) => !builtInType(name));
    const rows = new Map([...this.#builtIn, ...setUp].map((row) => [row.name, row]));
    const gone = [...this.#entries.keys()].filter((name) => !rows.has(name));
    await Promise.all([...gone.map((name) => this.#remove(name)), ...[...rows.values()].map((row) => this.#obey(row))]);
  }

  async #obey(row: CarrierRow): Promise<void> {
    const text = JSON.stringify([row.type, row.settings, row.isActive]);
    const known = this.#entries.get(row.name);
    const secrets = this.#secretsOf(row);
    // One that could not be opened is tried again: its secret may be there by now. One that is open goes on while a file
    // with a secret of it is being replaced.
    if (known?.row === text && known.carrier && (secrets === null || secrets === known.secrets)) return;
    // An SMSC often allows one session per login, so the old carrier leaves before the new one comes.
    if (known?.carrier) await this.#leaveEntry(row.name, known);
    const { carrier, reason } = this.#open(row);
    const { isActive } = row;
    this.#entries.set(row.name, { row: text, secrets, isActive, carrier, reason });
    if (carrier && this.#sinks) await this.#begin(row.name, carrier);
    if (carrier) this.#options.log.info({ carrier: row.name, type: row.type, isActive }, 'a carrier was opened');
    else if (known?.reason !== reason) {
      this.#options.log.error({ carrier: row.name, reason, isActive }, 'a carrier cannot be used');
    }
  }

  #secretsOf(row: CarrierRow): string | null {
    if (!/"(?:env|file):/.test(JSON.stringify(row.settings))) return '';
    const { env = readEnvironment() } = this.#options;
    const type = carrierType(row.type, this.types);
    try {
      return type && JSON.stringify(lookUpSecrets(type, row.settings, env));
    } catch {
      return null;
    }
  }

  #open(row: CarrierRow): { carrier: Carrier | null; reason: string } {
    const { log, clock, calls, env = readEnvironment() } = this.#options;
    try {
      const type = carrierType(row.type, this.types);
      if (!type) return { carrier: null, reason: `its type ${row.type} is not known to this version` };
      const settings = resolveSettings(type, row.settings, env);
      const { secrets: names } = formOf(type, settings);
      const secrets = names.map((each) => settings[each]).filter((secret) => typeof secret === 'string');
      for (const { field, rule } of unsupportedSettings(type, row.settings)) {
        log.error({ carrier: row.name, setting: field }, `a carrier sends without its setting ${field}: it ${rule}`);
      }
      const own = { log: log.child({ carrier: row.name }), calls: calls.of(row.name, secrets) };
      return {
        carrier: type.open({
          name: row.name,
          settings,
          clock,
          privateHosts: this.privateHosts,
          receivesOnly: !row.isActive,
          ...own,
        }),
        reason: '',
      };
    } catch (error) {
      return { carrier: null, reason: (error as Error).message };
    }
  }

  async #begin(name: string, carrier: Carrier): Promise<void> {
    try {
      await carrier.start(this.#sinks as CarrierSinks);
    } catch (error) {
      this.#options.log.error({ err: error, carrier: name }, 'a carrier cannot be started');
      const entry = this.#entries.get(name);
      if (entry) this.#entries.set(name, { ...entry, carrier: null, reason: (error as Error).message });
      await this.#leave(carrier, AbortSignal.timeout(LEAVE_MS));
    }
  }

  async #remove(name: string): Promise<void> {
    const entry = this.#entries.get(name);
    if (entry) await this.#leaveEntry(name, entry);
    this.#entries.delete(name);
  }

  /** The carrier gets no more messages and finishes what it has started. */
  async #leaveEntry(name: string, entry: Entry): Promise<void> {
    if (!entry.carrier) return;
    this.#entries.set(name, { ...entry, isLeaving: true });
    await this.#leave(entry.carrier, AbortSignal.timeout(LEAVE_MS));
    this.#options.log.info({ carrier: name }, 'a carrier was closed');
  }

  async #leave(carrier: Carrier, signal: AbortSignal): Promise<void> {
    await carrier.close(signal).catch((error) => {
      this.#options.log.warn({ err: error, carrier: carrier.name }, 'a carrier did not close');
    });
  }
}

function whyUnusable(entry: Entry | undefined): string {
  if (!entry) return 'no carrier of this name is set up';
  if (!entry.isActive) return 'it is switched off';
  return entry.isLeaving ? 'it is being closed' : entry.reason;
}
