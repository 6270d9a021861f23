import { expect, it } from 'vitest';
import { maskSecret } from '../../../src/carriers/http/redaction.js';

it.each(['123456', '123 456', '123-456', '1 2 3 4 5 6', '123%20456', '123&nbsp;456', '123\\n456'])(
  'the code 123456 is hidden when written as %j',
  (writtenCode) => {
    expect(maskSecret(`Your code is ${writtenCode}.`, '123456')).toBe('Your code is ******.');
  },
);

it('other digits are not hidden', () => {
  expect(maskSecret('Error 500 for 15005550111', '123456')).toBe('Error 500 for 15005550111');
});
