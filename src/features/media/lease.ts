import type pg from 'pg';
import { LEASE_SECONDS, renewLease } from './media-store.js';

/** Thrown if the file's row was deleted, given up, or claimed by another process. */
export class OwnershipLost extends Error {}

/** The right to write a file's bytes, renewed until `end` is called. */
export class Lease {
  readonly #renew: () => Promise<boolean>;
  readonly #timer: NodeJS.Timeout;
  #isOurs = true;

  /** @param claim the claim of a received file, or null for an upload, which has only one writer */
  constructor(pool: pg.Pool, id: string, claim: string | null) {
    this.#renew = () => renewLease(pool, id, claim);
    const renew = () => {
      void this.#renew().then(
        (isOurs) => {
          this.#isOurs &&= isOurs;
        },
        // A failed renewal is ignored, because the lease lasts for two more attempts.
        () => undefined,
      );
    };
    this.#timer = setInterval(renew, (LEASE_SECONDS * 1000) / 3);
  }

  /**
   * Checks the lease again after the last byte, because the writer then renames the file and must not overwrite another
   * process's file.
   * @throws {OwnershipLost} The lease was lost.
   */
  async *guardWrites(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      if (!this.#isOurs) throw createOwnershipLost();
      yield chunk;
    }
    if (!(await this.#renew())) throw createOwnershipLost();
  }

  end(): void {
    clearInterval(this.#timer);
  }
}

function createOwnershipLost(): OwnershipLost {
  return new OwnershipLost('The file was deleted or claimed by another process while it was being written.');
}
