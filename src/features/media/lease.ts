import type pg from 'pg';
import { LEASE_SECONDS, renewLease } from './media-store.js';

/** Bytes that are not wanted any more: their row was deleted, given up, or claimed by another process. */
export class NotWanted extends Error {}

/** The right to write the bytes of a file, which is renewed from the moment when it is had until it is ended. */
export class Lease {
  readonly #renew: () => Promise<boolean>;
  readonly #timer: NodeJS.Timeout;
  #isOurs = true;

  /** @param claim by which a received file was claimed; null: an upload, which nobody else writes */
  constructor(pool: pg.Pool, id: string, claim: string | null) {
    this.#renew = () => renewLease(pool, id, claim);
    const renew = () => {
      void this.#renew().then(
        (isOurs) => {
          this.#isOurs &&= isOurs;
        },
        // A store that is away for a moment: the lease holds for two more tries.
        () => undefined,
      );
    };
    this.#timer = setInterval(renew, (LEASE_SECONDS * 1000) / 3);
  }

  /**
   * Hands bytes on as long as the lease is held. Behind the last of them that is asked for once more: whoever writes them
   * gives the file its name then, which may have been written by another one.
   * @throws {NotWanted} once it was lost
   */
  async *over(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      if (!this.#isOurs) throw lost();
      yield chunk;
    }
    if (!(await this.#renew())) throw lost();
  }

  end(): void {
    clearInterval(this.#timer);
  }
}

function lost(): NotWanted {
  return new NotWanted('The file was deleted, or claimed by another process, while its bytes came.');
}
