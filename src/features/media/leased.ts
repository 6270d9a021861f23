import type pg from 'pg';
import { LEASE_SECONDS, renewLease } from './media-store.js';

/** Bytes that are not wanted any more: their row was deleted, or given up. */
export class NotWanted extends Error {}

/** Hands bytes on as long as their lease is renewed. */
export async function* leased(pool: pg.Pool, id: string, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let wanted = true;
  const renew = () => {
    void renewLease(pool, id).then(
      (isOurs) => {
        wanted &&= isOurs;
      },
      // A store that is away for a moment: the lease holds for two more tries.
      () => undefined,
    );
  };
  const timer = setInterval(renew, (LEASE_SECONDS * 1000) / 3);
  try {
    for await (const chunk of bytes) {
      if (!wanted) throw new NotWanted('The file was deleted while its bytes came.');
      yield chunk;
    }
  } finally {
    clearInterval(timer);
  }
}
