import type pg from 'pg';
import type { Logger } from 'pino';
import { ReloadLoop } from '../../carriers/registry/reload-loop.js';
import type { Statement } from '../../platform/store/connections/pool.js';
import type { QuietRule } from './rule.js';
import { listRules, type QuietHours } from './settings.js';

export interface QuietAccount {
  rules: readonly QuietRule[];
  includesTransactional: boolean;
}

const LOAD: Statement = {
  name: 'quiet-hours-load',
  text: `SELECT id, quiet_hours AS "quietHours" FROM accounts WHERE quiet_hours IS NOT NULL`,
};

/** The quiet hours of all accounts that have any, cached for up to two seconds, so that other accounts cost no query. */
export class QuietAccounts {
  readonly #pool: pg.Pool;
  readonly #loop: ReloadLoop;
  #accounts: ReadonlyMap<string, QuietAccount> = new Map();

  constructor({ pool, log }: { pool: pg.Pool; log: Logger }) {
    this.#pool = pool;
    this.#loop = new ReloadLoop('quiet hours', { log, reload: () => this.reload() });
  }

  open(): Promise<void> {
    return this.#loop.open();
  }

  /** @throws database errors */
  async reload(): Promise<void> {
    const { rows } = await this.#pool.query<{ id: string; quietHours: QuietHours }>({ ...LOAD, values: [] });
    this.#accounts = new Map(
      rows.map(({ id, quietHours }) => [
        id,
        { rules: listRules(quietHours), includesTransactional: quietHours.includesTransactional },
      ]),
    );
  }

  close(): Promise<void> {
    return this.#loop.close();
  }

  find(accountId: string): QuietAccount | undefined {
    return this.#accounts.get(accountId);
  }

  get isEmpty(): boolean {
    return this.#accounts.size === 0;
  }
}
