import type pg from 'pg';
import type { Logger } from 'pino';
import { Loop } from '../../../platform/background/loop.js';
import { findVerifiedDomains } from './verify-store.js';

const RELOAD_EVERY_MS = 5_000;

/** The proved domains of all accounts, which every request compares with its host. Reloaded every five seconds. */
export class LinkDomains {
  readonly #pool: pg.Pool;
  readonly #loop: Loop;
  #owners: ReadonlyMap<string, string> = new Map();

  constructor({ pool, log }: { pool: pg.Pool; log: Logger }) {
    this.#pool = pool;
    this.#loop = new Loop({
      poll: () => this.reload(),
      everyMs: RELOAD_EVERY_MS,
      log,
      failure: 'the domains of short links could not be reloaded; the current ones stay in effect',
    });
  }

  async open(): Promise<void> {
    await this.reload();
    this.#loop.start(RELOAD_EVERY_MS);
  }

  /** @throws database errors */
  async reload(): Promise<void> {
    const domains = await findVerifiedDomains(this.#pool);
    this.#owners = new Map(domains.map(({ host, accountId }) => [host, accountId]));
  }

  /** Reloads soon, after a change in this process. */
  wake(): void {
    this.#loop.wake();
  }

  close(): Promise<void> {
    return this.#loop.stop();
  }

  get isEmpty(): boolean {
    return this.#owners.size === 0;
  }

  /** @param hostname without a port. Returns the ID of the account that has proved the domain, or null. */
  findOwner(hostname: string): string | null {
    const host = hostname.toLowerCase();
    return this.#owners.get(host.endsWith('.') ? host.slice(0, -1) : host) ?? null;
  }
}
