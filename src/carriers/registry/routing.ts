import type pg from 'pg';
import type { Logger } from 'pino';
import { ReloadLoop } from './reload-loop.js';
import { loadRoutes, type RouteRow } from './route-store.js';

/** An SMS as routes look at it. */
export interface RoutedSms {
  accountId: string;
  /** Digits with country code. */
  recipient: string;
  /** Sender ID as the caller wrote it. */
  sender: string;
}

/** Routes of one account, or of all, by the digits with which a recipient must begin. */
type ByCallingCode = Map<string, RouteRow[]>;

/**
 * Which carriers take an SMS. Of the routes that fit, one of the account goes before one of all accounts, then the one
 * with the longest calling code, then the one that names the sender, then the one with the lowest position. The routes
 * are in memory, at most two seconds old: looking one up costs no query.
 */
export class Routing {
  readonly #pool: pg.Pool;
  readonly #loop: ReloadLoop;
  /** By account; the routes of all accounts under "". */
  #routes: ReadonlyMap<string, ByCallingCode> = new Map();
  #version = '[]';

  constructor({ pool, log }: { pool: pg.Pool; log: Logger }) {
    this.#pool = pool;
    this.#loop = new ReloadLoop('routes', { log, reload: () => this.reload() });
  }

  /** Reads the routes for the first time, and from then on again and again. */
  open(): Promise<void> {
    return this.#loop.open();
  }

  /** @throws what PostgreSQL throws */
  async reload(): Promise<void> {
    const rows = await loadRoutes(this.#pool);
    const version = JSON.stringify(rows);
    if (version === this.#version) return;
    this.#version = version;
    this.#routes = indexRoutes(rows);
  }

  close(): Promise<void> {
    return this.#loop.close();
  }

  /** Whether there is any route at all; if not, every SMS goes to the same carrier. */
  get isEmpty(): boolean {
    return this.#routes.size === 0;
  }

  /** Names of the carriers of the best route, in order; null when no route fits. */
  carriersFor(sms: RoutedSms): readonly string[] | null {
    if (this.#routes.size === 0) return null;
    const sender = plainSender(sms.sender);
    return (
      find(this.#routes.get(sms.accountId), sms.recipient, sender) ?? find(this.#routes.get(''), sms.recipient, sender)
    );
  }
}

/** A sender ID as routes hold it: a number with or without its plus sign is the same sender. */
export function plainSender(sender: string): string {
  return sender.startsWith('+') ? sender.slice(1) : sender;
}

function indexRoutes(rows: readonly RouteRow[]): Map<string, ByCallingCode> {
  const routes = new Map<string, ByCallingCode>();
  for (const row of rows) {
    const account = row.accountId ?? '';
    const ofAccount = routes.get(account) ?? new Map<string, RouteRow[]>();
    routes.set(account, ofAccount);
    const code = row.callingCode ?? '';
    const alike = ofAccount.get(code);
    if (alike) alike.push(row);
    else ofAccount.set(code, [row]);
  }
  return routes;
}

function find(routes: ByCallingCode | undefined, recipient: string, sender: string): readonly string[] | null {
  if (!routes) return null;
  for (let length = recipient.length; length >= 0; length--) {
    const alike = routes.get(recipient.slice(0, length));
    const best = alike?.find((row) => row.sender === sender) ?? alike?.find((row) => row.sender === null);
    if (best) return best.carriers;
  }
  return null;
}
