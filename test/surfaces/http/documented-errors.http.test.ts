import { beforeAll, expect, it } from 'vitest';
import { sharedApp } from '../../support/suite.js';

interface Operation {
  parameters?: { name: string }[];
  requestBody?: { required?: boolean };
  responses: Record<string, object>;
}

const heliograph = sharedApp();
let operations: [name: string, operation: Operation][];

beforeAll(async () => {
  const { paths } = (await heliograph.app.inject({ url: '/openapi.json' })).json();
  operations = Object.entries(paths as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [`${method} ${path}`, operation]),
  );
});

const findUndocumented = (candidates: typeof operations, statuses: readonly string[]) =>
  candidates.filter(([, { responses }]) => statuses.some((status) => !(status in responses))).map(([name]) => name);

it('every operation with a body documents 413 and 415', () => {
  const operationsWithBody = operations.filter(([name]) => !name.startsWith('get '));
  expect(operationsWithBody.length).toBeGreaterThan(100);
  expect(findUndocumented(operationsWithBody, ['413', '415'])).toEqual([]);
});

it('every send with an Idempotency-Key documents the error for deleted messages', () => {
  // Only charged sends are checked, because the idempotency keys of uploads, campaigns and runs do not refer to messages.
  const sends = operations.filter(
    ([, { parameters = [], responses }]) =>
      '402' in responses && parameters.some(({ name }) => name === 'Idempotency-Key'),
  );
  expect(sends.length).toBeGreaterThan(6);
  expect(findUndocumented(sends, ['409', '422'])).toEqual([]);
});

it('exactly the operations with an optional body document that it is optional', () => {
  const operationsWithOptionalBody = operations
    .filter(([, { requestBody }]) => requestBody?.required === false)
    .map(([name]) => name);
  expect(operationsWithOptionalBody.sort()).toEqual([
    'post /2010-04-01/Accounts/{AccountSid}/Messages/{Sid}/Feedback.json',
    'post /api/v1/conversations/{id}/read',
    'post /graph/{version}/{businessAccountId}/subscribed_apps',
    'put /api/v1/automations/{id}',
    'put /api/v1/contacts/fields/{key}',
    'put /api/v1/contacts/groups/{groupId}',
    'put /api/v1/contacts/{id}',
    'put /api/v1/webhooks/{id}',
    'put /v2/webhooks/{webhook_id}',
  ]);
});
