import { useRef } from 'react';
import { ApiError } from './request.js';

/**
 * For what must not happen twice. Where it is not known what became of a request, because its answer was lost, the same
 * one goes out under the same `Idempotency-Key`, so that the server gives the answer again and does nothing more.
 * @returns sends something, told by its contents, with the key that it has to carry
 */
export function useOnce(): <T>(what: unknown, send: (idempotencyKey: string) => Promise<T>) => Promise<T> {
  const unknown = useRef<{ what: string; key: string } | null>(null);
  return async (what, send) => {
    const contents = JSON.stringify(what);
    const key = unknown.current?.what === contents ? unknown.current.key : newKey();
    try {
      unknown.current = { what: contents, key };
      const answer = await send(key);
      unknown.current = null;
      return answer;
    } catch (error) {
      if (error instanceof ApiError && error.status >= 400 && error.status < 500) unknown.current = null;
      throw error;
    }
  };
}

/** Not `crypto.randomUUID`, which there is over https only. */
const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16)).join('-');
