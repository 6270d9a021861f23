import pg from 'pg';

/** The messages of the protocol that a statement is sent by, as `pg` has them; its types leave them out. */
interface Wire {
  parse(statement: { text: string }): void;
  bind(portal: object): void;
  execute(portal: object): void;
}

/** What `pg`'s own statement does with what PostgreSQL answers; its types leave it out. */
interface Handling {
  prepare(wire: Wire): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, wire: Wire): void;
}

const handling = pg.Query.prototype as unknown as Handling;

/**
 * A statement, and before it one that sets parameters for it alone: sent together, before one Sync, both are one transaction
 * (PostgreSQL, Frontend/Backend Protocol, "Pipelining"), at whose end the parameters are as before. So they hold where each
 * transaction may have another server connection, and cost no further way there and back.
 */
export class LocalQuery extends pg.Query {
  readonly #settings: string;
  #isSet = false;

  /** @param settings a statement of `settingLocally` */
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

/** A statement that sets parameters until its transaction ends; its values are our own, and have no quotes. */
export function settingLocally(parameters: Readonly<Record<string, string>>): string {
  const each = Object.entries(parameters).map(([name, value]) => `set_config('${name}', '${value}', true)`);
  return `SELECT ${each.join(', ')}`;
}
