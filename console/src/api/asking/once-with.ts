import { ApiError } from './request.js';

/** Sends something, told by its contents, with the key that it has to carry. */
export type Once = <T>(what: unknown, send: (idempotencyKey: string) => Promise<T>) => Promise<T>;

/** Where a text is remembered; empty where there is none. */
export interface Kept {
  read(): string;
  write(text: string): void;
}

/**
 * Where it is not known what became of a request, because its answer was lost, the same one goes out under the same
 * `Idempotency-Key`, so that the server gives the answer again and does nothing more.
 * @param kept where that request is remembered
 */
export function onceWith(kept: Kept): Once {
  return async (what, send) => {
    const contents = JSON.stringify(what);
    const unknown = parsed(kept.read());
    const key = unknown?.what === contents ? unknown.key : newKey();
    const keep = () => kept.write(JSON.stringify({ what: contents, key }));
    try {
      keep();
      const answer = await send(key);
      kept.write('');
      return answer;
    } catch (error) {
      if (error instanceof ApiError && error.status >= 400 && error.status < 500) kept.write('');
      // Again: meanwhile the draft may have been emptied, and this with it.
      else keep();
      throw error;
    }
  };
}

/** Remembers as long as what made it does. */
export function inMemory(): Kept {
  let text = '';
  return {
    read: () => text,
    write: (next) => {
      text = next;
    },
  };
}

function parsed(text: string): { what: string; key: string } | null {
  return text === '' ? null : JSON.parse(text);
}

/** Not `crypto.randomUUID`, which there is over https only. */
const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16)).join('-');
