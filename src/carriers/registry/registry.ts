import type pg from 'pg';
import type { Logger } from 'pino';
import type { Clock } from '../../platform/clock.js';
import { readEnvironment } from '../../platform/machine/environment.js';
import type { Carrier, CarrierSinks } from '../carrier.js';
import { CarrierError } from '../carrier-error.js';
import type { CarrierType } from '../carrier-type.js';
import type { CallLog } from '../http/call-log.js';
import {
  findSettingsForm,
  findUnsupportedSettings,
  lookUpSecrets,
  resolveSettings,
  type SettingValues,
} from '../settings.js';
import { BUILT_IN_TYPES, CARRIER_TYPES, findBuiltInType, findCarrierType } from '../types.js';
import { CarrierActivity } from './carrier-activity.js';
import { type CarrierRow, loadCarriers } from './carrier-store.js';
import { ReloadLoop } from './reload-loop.js';

/** Maximum time that a replaced or removed carrier may take to finish pending work. */
const CLOSE_TIMEOUT_MS = 5_000;

export interface CarrierRegistryOptions {
  pool: pg.Pool;
  log: Logger;
  clock: Clock;
  calls: Pick<CallLog, 'createSink'>;
  /** Hosts that may have private addresses. */
  privateHosts?: readonly string[];
  builtIn?: Readonly<Record<string, SettingValues>>;
  smsCarrier: string;
  /** Resolves `env:NAME` in settings. */
  env?: NodeJS.ProcessEnv;
  /** Default: CARRIER_TYPES. */
  types?: readonly CarrierType[];
}

interface Entry {
  /** The database row as JSON, used to detect changes. */
  row: string;
  /** Resolved secrets as JSON; null if a secret could not be read. */
  secrets: string | null;
  /** Null if the carrier cannot be opened. */
  carrier: Carrier | null;
  reason: string;
  isActive: boolean;
  isClosing?: boolean;
}

export interface EnabledCarrier {
  name: string;
  /** Null if the carrier cannot be opened. */
  carrier: Carrier | null;
  reason: string;
}

/** Every process reads the table `carriers` every two seconds, and opens and closes carriers accordingly. */
export class CarrierRegistry {
  readonly types: readonly CarrierType[];
  readonly activity: CarrierActivity;
  readonly #options: CarrierRegistryOptions;
  readonly #builtIn: readonly CarrierRow[];
  readonly #entries = new Map<string, Entry>();
  readonly #loop: ReloadLoop;
  #sinks: CarrierSinks | null = null;
  #lastWork: Promise<void> = Promise.resolve();
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

  get privateHosts(): readonly string[] {
    return this.#options.privateHosts ?? [];
  }

  open(): Promise<void> {
    return this.#loop.open();
  }

  /**
   * Throws the CarrierError UNKNOWN_CARRIER, which is retryable because an operator may add, enable or fix the carrier
   * at any time.
   */
  get(name: string): Carrier {
    const carrier = this.find(name);
    if (carrier) return carrier;
    const text = `The carrier ${name} cannot be used: ${explainUnusable(this.#entries.get(name))}.`;
    throw CarrierError.unavailable('UNKNOWN_CARRIER', text);
  }

  find(name: string): Carrier | null {
    const entry = this.#entries.get(name);
    return entry?.isActive && !entry.isClosing ? entry.carrier : null;
  }

  /** Also returns disabled carriers, which still receive reports and files. */
  findReceiving(name: string): Carrier | null {
    return this.#entries.get(name)?.carrier ?? null;
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  getRate(name: string): number | null {
    return this.find(name)?.ratePerSecond ?? null;
  }

  /** Including disabled carriers. */
  listNamesWithReceiptRequests(): string[] {
    return this.#listCarriers()
      .filter((carrier) => carrier.requestReceipts)
      .map((carrier) => carrier.name);
  }

  listEnabled(): EnabledCarrier[] {
    return [...this.#entries]
      .filter(([name, { isActive }]) => isActive && !findBuiltInType(name))
      .map(([name, { carrier, reason }]) => ({ name, carrier, reason }));
  }

  /** Includes disabled carriers. */
  listNames(): string[] {
    return [...this.#entries.keys()];
  }

  getSmsCarrierName(): string {
    return this.#options.smsCarrier;
  }

  start(sinks: CarrierSinks): Promise<void> {
    return this.#runInOrder(async () => {
      this.#sinks = sinks;
      for (const [name, { carrier }] of this.#entries) if (carrier) await this.#startCarrier(name, carrier);
    });
  }

  /** @throws database errors */
  reload(): Promise<void> {
    return this.#runInOrder(() => this.#reload());
  }

  /** Idempotent. */
  async close(signal: AbortSignal): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#loop.close();
    await this.#lastWork.catch(() => undefined);
    await Promise.all(this.#listCarriers().map((carrier) => this.#closeCarrier(carrier, signal)));
  }

  /** Runs changes one after another, so that no carrier is opened or started twice. */
  #runInOrder(work: () => Promise<void>): Promise<void> {
    this.#lastWork = this.#lastWork.catch(() => undefined).then(work);
    return this.#lastWork;
  }

  #listCarriers(): Carrier[] {
    return [...this.#entries.values()].flatMap(({ carrier }) => carrier ?? []);
  }

  async #reload(): Promise<void> {
    if (this.#closed) return;
    const configuredRows = (await loadCarriers(this.#options.pool)).filter(({ name }) => !findBuiltInType(name));
    const rows = new Map([...this.#builtIn, ...configuredRows].map((row) => [row.name, row]));
    const removedNames = [...this.#entries.keys()].filter((name) => !rows.has(name));
    await Promise.all([
      ...removedNames.map((name) => this.#remove(name)),
      ...[...rows.values()].map((row) => this.#applyRow(row)),
    ]);
  }

  async #applyRow(row: CarrierRow): Promise<void> {
    const rowJson = JSON.stringify([row.type, row.settings, row.isActive]);
    const currentEntry = this.#entries.get(row.name);
    const secrets = this.#readSecrets(row);
    // Opening a carrier is retried until it succeeds, but an open carrier stays open while the file with its secret is being
    // replaced.
    if (currentEntry?.row === rowJson && currentEntry.carrier && (secrets === null || secrets === currentEntry.secrets))
      return;
    // SMSCs often allow one session per login, so the old carrier must disconnect first.
    if (currentEntry?.carrier) await this.#closeEntry(row.name, currentEntry);
    const { carrier, reason } = this.#open(row);
    const { isActive } = row;
    this.#entries.set(row.name, { row: rowJson, secrets, isActive, carrier, reason });
    if (carrier && this.#sinks) await this.#startCarrier(row.name, carrier);
    if (carrier) this.#options.log.info({ carrier: row.name, type: row.type, isActive }, 'carrier opened');
    else if (currentEntry?.reason !== reason) {
      this.#options.log.error({ carrier: row.name, reason, isActive }, 'carrier cannot be opened');
    }
  }

  #readSecrets(row: CarrierRow): string | null {
    if (!/"(?:env|file):/.test(JSON.stringify(row.settings))) return '';
    const { env = readEnvironment() } = this.#options;
    const type = findCarrierType(row.type, this.types);
    try {
      return type && JSON.stringify(lookUpSecrets(type, row.settings, env));
    } catch {
      return null;
    }
  }

  #open(row: CarrierRow): { carrier: Carrier | null; reason: string } {
    const { log, clock, calls, env = readEnvironment() } = this.#options;
    try {
      const type = findCarrierType(row.type, this.types);
      if (!type) return { carrier: null, reason: `this version does not support its type ${row.type}` };
      const settings = resolveSettings(type, row.settings, env);
      const { secrets: names } = findSettingsForm(type, settings);
      const secrets = names.map((name) => settings[name]).filter((secret) => typeof secret === 'string');
      for (const { field, rule } of findUnsupportedSettings(type, row.settings)) {
        log.error({ carrier: row.name, setting: field }, `carrier runs without its setting ${field}, which ${rule}`);
      }
      return {
        carrier: type.open({
          name: row.name,
          settings,
          clock,
          privateHosts: this.privateHosts,
          receivesOnly: !row.isActive,
          log: log.child({ carrier: row.name }),
          calls: calls.createSink(row.name, secrets),
        }),
        reason: '',
      };
    } catch (error) {
      return { carrier: null, reason: (error as Error).message };
    }
  }

  async #startCarrier(name: string, carrier: Carrier): Promise<void> {
    try {
      await carrier.start(this.#sinks as CarrierSinks);
    } catch (error) {
      this.#options.log.error({ err: error, carrier: name }, 'carrier cannot be started');
      const entry = this.#entries.get(name);
      if (entry) this.#entries.set(name, { ...entry, carrier: null, reason: (error as Error).message });
      await this.#closeCarrier(carrier, AbortSignal.timeout(CLOSE_TIMEOUT_MS));
    }
  }

  async #remove(name: string): Promise<void> {
    const entry = this.#entries.get(name);
    if (entry) await this.#closeEntry(name, entry);
    this.#entries.delete(name);
  }

  async #closeEntry(name: string, entry: Entry): Promise<void> {
    if (!entry.carrier) return;
    this.#entries.set(name, { ...entry, isClosing: true });
    await this.#closeCarrier(entry.carrier, AbortSignal.timeout(CLOSE_TIMEOUT_MS));
    this.#options.log.info({ carrier: name }, 'carrier closed');
  }

  async #closeCarrier(carrier: Carrier, signal: AbortSignal): Promise<void> {
    await carrier.close(signal).catch((error) => {
      this.#options.log.warn({ err: error, carrier: carrier.name }, 'carrier did not close cleanly');
    });
  }
}

function explainUnusable(entry: Entry | undefined): string {
  if (!entry) return 'no carrier of this name is set up';
  if (!entry.isActive) return 'it is disabled';
  return entry.isClosing ? 'it is being closed' : entry.reason;
}
