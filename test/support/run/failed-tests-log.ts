import { afterEach } from 'vitest';
import { takeLoggedErrors } from '../logged-errors.js';

/* A 500 response does not say what happened, so the errors logged during a failed test are printed. */
afterEach(({ task }) => {
  const errors = takeLoggedErrors();
  if (task.result?.state === 'fail' && errors.length > 0) {
    console.error(`Logged during "${task.name}", the last of ${errors.length} errors:\n${errors.slice(-20).join('')}`);
  }
});
