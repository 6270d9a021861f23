import pg from 'pg';

/** Missing from `pg`'s types. */
interface Wire {
  parse(statement: { text: string }): void;
  bind(portal: object): void;
  execute(portal: object): void;
}

interface QueryHandling {
  prepare(wire: Wire): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, wire: Wire): void;
}

const handling = pg.Query.prototype as unknown as QueryHandling;

/**
 * Sends the settings and the statement before one Sync message, so that PostgreSQL runs both in one transaction ("Pipelining").
 * Pipelining works behind a pooler and needs no further round trip.
 */
export class LocalQuery extends pg.Query {
  readonly #settings: string;
  #isSettingDone = false;

  /** @param settings from `buildSetStatement` */
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
    if (this.#isSettingDone) handling.handleDataRow.call(this, message);
  }

  handleCommandComplete(message: unknown, wire: Wire): void {
    if (this.#isSettingDone) handling.handleCommandComplete.call(this, message, wire);
    else this.#isSettingDone = true;
  }
}

/** The parameter values must not contain quotes. */
export function buildSetStatement(parameters: Readonly<Record<string, string>>): string {
  const calls = Object.entries(parameters).map(([name, value]) => `set_config('${name}', '${value}', true)`);
  return `SELECT ${calls.join(', ')}`;
}
