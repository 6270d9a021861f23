import pg from 'pg';

/** Protocol messages of a statement in `pg`, which its types leave out. */
interface Wire {
  parse(statement: { text: string }): void;
  bind(portal: object): void;
  execute(portal: object): void;
}

/** Methods of `pg`'s own statement, which its types leave out. */
interface Handling {
  prepare(wire: Wire): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, wire: Wire): void;
}

const handling = pg.Query.prototype as unknown as Handling;

/**
 * A statement preceded by one that sets parameters for it alone. Both are sent before one Sync and form one transaction
 * (PostgreSQL, Frontend/Backend Protocol, "Pipelining"), so the parameters are reset at its end. This works behind a
 * pooler that changes the server connection between transactions, without another round trip.
 */
export class LocalQuery extends pg.Query {
  readonly #settings: string;
  #isSet = false;

  /** @param settings a statement from `buildSetStatement` */
  constructor(
    settings: string,
    statement: pg.QueryConfig & { callback: (error: Error | null, result: unknown) => void },
  ) {
    super({ ...statement, queryMode: 'extended' } as pg.QueryConfig);
    this.#settings = settings;
  }

  prepare(wire: Wire): void {
    wire.parse({ text: this.#settings });
    wire.bind({});
    wire.execute({});
    handling.prepare.call(this, wire);
  }

  handleDataRow(message: unknown): void {
    if (this.#isSet) handling.handleDataRow.call(this, message);
  }

  handleCommandComplete(message: unknown, wire: Wire): void {
    if (this.#isSet) handling.handleCommandComplete.call(this, message, wire);
    else this.#isSet = true;
  }
}

/** Returns a statement that sets parameters until the transaction ends. The values must not contain quotes. */
export function buildSetStatement(parameters: Readonly<Record<string, string>>): string {
  const each = Object.entries(parameters).map(([name, value]) => `set_config('${name}', '${value}', true)`);
  return `SELECT ${each.join(', ')}`;
}
