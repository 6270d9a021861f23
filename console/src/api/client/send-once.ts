import { ApiError } from './request.js';

/** Sends a request with an idempotency key, which a repeated request reuses until the result is known. */
export type SendOnce = <T>(content: unknown, send: (idempotencyKey: string) => Promise<T>) => Promise<T>;

/** Stores a single text, which is empty by default. */
export interface TextStorage {
  read(): string;
  write(text: string): void;
}

/** Repeats a request under the same `Idempotency-Key` if its response was lost, so that the server executes it only once. */
export function createSendOnce(storage: TextStorage): SendOnce {
  return async (content, send) => {
    const serialized = JSON.stringify(content);
    const pending = parsePending(storage.read());
    const key = pending?.what === serialized ? pending.key : newKey();
    const storePending = () => storage.write(JSON.stringify({ what: serialized, key }));
    try {
      storePending();
      const response = await send(key);
      storage.write('');
      return response;
    } catch (error) {
      if (error instanceof ApiError && error.status >= 400 && error.status < 500) storage.write('');
      // The key is stored again, because emptying the draft during the request has deleted it.
      else storePending();
      throw error;
    }
  };
}

export function memoryStorage(): TextStorage {
  let text = '';
  return {
    read: () => text,
    write: (next) => {
      text = next;
    },
  };
}

function parsePending(text: string): { what: string; key: string } | null {
  return text === '' ? null : JSON.parse(text);
}

/** Returns a random key without `crypto.randomUUID`, which is available only over HTTPS. */
const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16)).join('-');
