import { expect, it } from 'vitest';
import { filesOf, refusedBy } from '../support/lint-rule.js';

const RULE = 'src/surfaces/no-spread-of-requests.grit';

const REFUSED = [
  'const x = { id, ...request.body };',
  'const x = { id, ...body };',
  'const x = { ...params, id };',
  'const x = { id, ...request.query };',
  'const x = { id, ...(request.body as object) };',
  'const x = { id, ...(body ?? {}) };',
  'const x = { ...request };',
  'const x = Object.assign({ id }, request.body);',
  'const { name, ...rest } = request.body;',
  'const handler = async ({ body: { name, ...rest } }) => rest;',
];

const ALLOWED = [
  'const { name, role } = request.body;',
  'const x = { id, name: request.body.name };',
  'const x = { id, ...(request.query.name !== undefined && { name: request.query.name }) };',
  'const x = { ...cursorPage(request.query), id };',
  'const ids = [...request.body.contactIds];',
];

it('refuses what mixes a request with what the server knows, and nothing else', () => {
  expect(refusedBy(RULE, [...REFUSED, ...ALLOWED])).toEqual(REFUSED);
});

it('is a rule of every surface', () => {
  expect(filesOf(RULE)).toEqual(['**/src/surfaces/**']);
});
