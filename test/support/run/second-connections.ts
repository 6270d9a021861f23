import { afterEach, expect } from 'vitest';
import { watchSecondConnections } from '../../../src/platform/store/transaction.js';

/*
 * For every test: within a transaction no second connection may be taken, of whichever pool. It is refused, and fails the
 * test also where what asked for it goes on without.
 */
const seen: Error[] = [];

watchSecondConnections((error) => {
  seen.push(error);
  throw error;
});

afterEach(() => {
  expect(seen.splice(0).map(({ stack }) => stack)).toEqual([]);
});
