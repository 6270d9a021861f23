import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { suiteApp } from '../../support/suite.js';

const test = suiteApp({ role: 'api' });

it('every schema compiles, though a start waits for none', async () => {
  await expect(test.app.madeLate.makeAll(() => setImmediate())).resolves.toBeUndefined();
});
