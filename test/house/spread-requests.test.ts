import { testRule } from '../support/lint-rule.js';

testRule('src/surfaces/no-spread-of-requests.grit', {
  subject: "mixing a request's fields with the server's own",
  scope: 'every surface',
  refused: [
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
  ],
  allowed: [
    'const { name, role } = request.body;',
    'const x = { id, name: request.body.name };',
    'const x = { id, ...(request.query.name !== undefined && { name: request.query.name }) };',
    'const x = { ...cursorPage(request.query), id };',
    'const ids = [...request.body.contactIds];',
  ],
  files: ['**/src/surfaces/**'],
});
