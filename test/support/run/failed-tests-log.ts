import { afterEach } from 'vitest';
import { takeLoggedErrors } from '../logged-errors.js';

/* Prints the errors that the application logged during a test that failed: a response of 500 does not say what happened. */
afterEach(({ task }) => {
  const errors = takeLoggedErrors();
  if (task.result?.state === 'fail' && errors.length > 0) {
    console.error(`Logged during "${task.name}", the last of ${errors.length} errors:\n${errors.slice(-20).join('')}`);
  }
});
