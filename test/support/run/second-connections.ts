import { afterEach, expect } from 'vitest';
import { watchSecondConnections } from '../../../src/platform/store/transaction.js';

/* Within a transaction, taking a second connection is refused and fails the test even if the caller handles the error. */
const violations: Error[] = [];

watchSecondConnections((error) => {
  violations.push(error);
  throw error;
});

afterEach(() => {
  expect(violations.splice(0).map(({ stack }) => stack)).toEqual([]);
});
