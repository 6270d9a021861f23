import { createRequire } from 'node:module';
import type * as argon2 from '@node-rs/argon2';

/**
 * Replaces `@node-rs/argon2` in quick runs, because hashing takes 20 ms and tests sign in a thousand times. Each hash states
 * the requested cost, but is computed with the lowest cost that Argon2 allows.
 */
const library = createRequire(import.meta.url)('@node-rs/argon2') as typeof argon2;

const CHEAPEST = { memoryCost: 8, timeCost: 1, parallelism: 1 };
const COST = /\$m=\d+,t=\d+,p=\d+\$/;
const CHEAPEST_COST = '$m=8,t=1,p=1$';

export async function hash(password: string, options: argon2.Options = {}): Promise<string> {
  const { memoryCost, timeCost, parallelism } = options;
  const cheapHash = await library.hash(password, { ...options, ...CHEAPEST });
  return cheapHash.replace(COST, `$$m=${memoryCost},t=${timeCost},p=${parallelism}$$`);
}

export function verify(hashed: string, password: string): Promise<boolean> {
  return library.verify(hashed.replace(COST, CHEAPEST_COST.replaceAll('$', '$$$$')), password);
}
