import { createRequire } from 'node:module';
import type * as argon2 from '@node-rs/argon2';

/**
 * Takes the place of `@node-rs/argon2` in quick runs. Hashing a password as the product does takes 20 ms of a core, and
 * tests sign in a thousand times. A hash made here has the same form, and names the cost that was asked for, but took the
 * least that Argon2 allows. A run with TESTS=all uses the library itself.
 */
const library = createRequire(import.meta.url)('@node-rs/argon2') as typeof argon2;

const CHEAPEST = { memoryCost: 8, timeCost: 1, parallelism: 1 };
const COST = /\$m=\d+,t=\d+,p=\d+\$/;
const CHEAPEST_COST = '$m=8,t=1,p=1$';

export async function hash(password: string, options: argon2.Options = {}): Promise<string> {
  const { memoryCost, timeCost, parallelism } = options;
  const made = await library.hash(password, { ...options, ...CHEAPEST });
  return made.replace(COST, `$$m=${memoryCost},t=${timeCost},p=${parallelism}$$`);
}

export function verify(hashed: string, password: string): Promise<boolean> {
  return library.verify(hashed.replace(COST, CHEAPEST_COST.replaceAll('$', '$$$$')), password);
}
