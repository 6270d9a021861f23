import type pg from 'pg';
import type { Logger } from 'pino';
import { ReloadLoop } from './reload-loop.js';
import { loadRoutes, type RouteRow } from './route-store.js';

export interface RoutedSms {
  accountId: string;
  /** Digits with country code. */
  recipient: string;
  sender: string;
}

type RoutesByCallingCode = Map<string, RouteRow[]>;

/**
 * Among matching routes, the account's own route wins, then the longest calling code, then a route for the sender, then the
 * lowest position. Routes are cached for up to two seconds.
 */
export class Routing {
  readonly #pool: pg.Pool;
  readonly #loop: ReloadLoop;
  /** Routes that apply to all accounts have the key "". */
  #routes: ReadonlyMap<string, RoutesByCallingCode> = new Map();
  #version = '[]';

  constructor({ pool, log }: { pool: pg.Pool; log: Logger }) {
    this.#pool = pool;
    this.#loop = new ReloadLoop('routes', { log, reload: () => this.reload() });
  }

  open(): Promise<void> {
    return this.#loop.open();
  }

  /** @throws database errors */
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

  get isEmpty(): boolean {
    return this.#routes.size === 0;
  }

  findCarriers(sms: RoutedSms): readonly string[] | null {
    if (this.#routes.size === 0) return null;
    const sender = removePlus(sms.sender);
    return (
      findCarriersIn(this.#routes.get(sms.accountId), sms.recipient, sender) ??
      findCarriersIn(this.#routes.get(''), sms.recipient, sender)
    );
  }
}

/** Routes store senders without a leading plus sign. */
export function removePlus(sender: string): string {
  return sender.startsWith('+') ? sender.slice(1) : sender;
}

function indexRoutes(rows: readonly RouteRow[]): Map<string, RoutesByCallingCode> {
  const routes = new Map<string, RoutesByCallingCode>();
  for (const row of rows) {
    const account = row.accountId ?? '';
    const accountRoutes = routes.get(account) ?? new Map<string, RouteRow[]>();
    routes.set(account, accountRoutes);
    const code = row.callingCode ?? '';
    const codeRoutes = accountRoutes.get(code);
    if (codeRoutes) codeRoutes.push(row);
    else accountRoutes.set(code, [row]);
  }
  return routes;
}

function findCarriersIn(
  routes: RoutesByCallingCode | undefined,
  recipient: string,
  sender: string,
): readonly string[] | null {
  if (!routes) return null;
  for (let length = recipient.length; length >= 0; length--) {
    const candidates = routes.get(recipient.slice(0, length));
    const best = candidates?.find((row) => row.sender === sender) ?? candidates?.find((row) => row.sender === null);
    if (best) return best.carriers;
  }
  return null;
}
