import { afterEach, expect } from 'vitest';
import { watchSecondConnections } from '../../../src/platform/store/transaction.js';

/* Taking a second connection within a transaction fails the test, even if the caller catches the error. */
const violations: Error[] = [];

watchSecondConnections((error) => {
  violations.push(error);
  throw error;
});

afterEach(() => {
  expect(violations.splice(0).map(({ stack }) => stack)).toEqual([]);
});
