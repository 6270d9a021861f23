import { expect, it } from 'vitest';
import { UNSET_FIELDS } from '../../../src/features/contacts/contact-fields.js';
import { fillText, MissingVariable } from '../../../src/features/placeholders/placeholders.js';

const contact = { ...UNSET_FIELDS, name: 'Ada', phone: '447700900123' };

it.each([
  ['', 'Hello there'],
  [' ', 'Hello there'],
  ['\n', 'Hello there'],
  [null, 'Hello there'],
  ['Ada', 'Hello Ada'],
])('a contact with the name %j is greeted with %j', (name, expected) => {
  expect(fillText('Hello {{contact.name|there}}', { contact: { ...contact, name }, variables: {} })).toBe(expected);
});

it.each([
  [{ order: '' }, 'Your order'],
  [{ order: '  ' }, 'Your order'],
  [{ order: '42' }, 'Your 42'],
  [{}, 'Your order'],
])('the variables %j result in %j', (variables, expected) => {
  expect(fillText('Your {{variables.order|order}}', { contact, variables })).toBe(expected);
});

it.each(['order', 'constructor', 'toString', '__proto__'])('a variable %s that was never set has no value', (name) => {
  const fillMissing = () => fillText(`{{variables.${name}}}`, { contact, variables: {} });
  expect(fillMissing).toThrow(MissingVariable);
  expect(fillText(`{{variables.${name}|none}}`, { contact, variables: {} })).toBe('none');
});
