import pg from 'pg';

/** A name as it stands in a statement. */
export const { escapeIdentifier } = pg;

export interface SteadyClientConfig extends pg.ClientConfig {
  /** Milliseconds for which the answer to a statement is waited for; for ever unless told. */
  patienceMs?: number;
}

/** What a statement may carry beside its text: see `Statement` of pool.ts. */
interface Patient {
  patienceMs?: number;
  submit?: unknown;
}

/** A statement was not answered in time. Whether it was committed is unknown, and its connection is gone. */
export class StoreSilentError extends Error {
  /** As a socket says it, so that Prisma and every look at failures knows it for a store that is away. */
  readonly code = 'ETIMEDOUT';

  constructor(patienceMs: number) {
    super(`the store did not answer within ${patienceMs} ms`);
    this.name = 'StoreSilentError';
  }
}

/**
 * A connection that may be lost at any time without ending the process, and on which no statement waits for ever. Every
 * connection to PostgreSQL is one: no other file than this and pool.ts may use the driver itself.
 *
 * An error without a listener ends a Node.js process, and there are moments without one: while a connection is made, while
 * it is out of its pool, and once a user has taken its listeners away. An error that nobody listens for is therefore none.
 * The user of the connection hears of the loss by its query, and the pool by `release`.
 *
 * A statement whose time is up takes its connection with it, for what PostgreSQL would still say there belongs to nobody:
 * all that was asked on it fails at once, the ROLLBACK of a transaction too. `pg` itself would leave the connection open
 * and let each of them wait anew.
 */
export class SteadyClient extends pg.Client {
  #isLost = false;

  constructor(config?: string | SteadyClientConfig) {
    super(config);
    const patienceMs = (typeof config === 'object' && config.patienceMs) || 0;
    if (patienceMs > 0) {
      const { query } = pg.Client.prototype;
      const ask = (args: unknown[]): unknown => Reflect.apply(query, this, args);
      Object.assign(this, { query: (...args: unknown[]) => this.#askInTime(ask, args, patienceMs) });
    }
  }

  /** Whether the connection has failed or ended, whoever listened then. */
  get isLost(): boolean {
    return this.#isLost;
  }

  override emit(event: string | symbol, ...args: unknown[]): boolean {
    if (event === 'error' || event === 'end') this.#isLost = true;
    if (event === 'error' && this.listenerCount('error') === 0) return false;
    return super.emit(event as 'error', ...(args as [Error]));
  }

  /** Both forms of `query`: the one that takes a function to call, and the one that gives a promise. */
  #askInTime(ask: (args: unknown[]) => unknown, args: unknown[], usualMs: number): unknown {
    const statement = (typeof args[0] === 'object' ? args[0] : null) as Patient | null;
    // A cursor is asked again and again; its user says when it is done.
    if (typeof statement?.submit === 'function') return ask(args);
    const patienceMs = statement?.patienceMs ?? usualMs;
    const timer = setTimeout(() => this.#giveUp(patienceMs), patienceMs);
    const tell = args.at(-1);
    if (typeof tell === 'function') {
      const told = (...answer: unknown[]) => {
        clearTimeout(timer);
        Reflect.apply(tell, undefined, answer);
      };
      return ask([...args.slice(0, -1), told]);
    }
    const done = () => clearTimeout(timer);
    const answer = ask(args) as Promise<unknown>;
    answer.then(done, done);
    return answer;
  }

  #giveUp(patienceMs: number): void {
    const { stream } = (this as unknown as { connection: { stream: { destroy(error: Error): void } } }).connection;
    stream.destroy(new StoreSilentError(patienceMs));
  }
}
