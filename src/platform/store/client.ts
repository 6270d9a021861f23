import pg from 'pg';

/**
 * A connection that may be lost at any time without ending the process. While it is out of its pool, the pool does not
 * listen for its errors, and an error without a listener ends a Node.js process. The user of the connection hears
 * of the loss by its query, and the pool by `release`.
 */
export class SteadyClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}
