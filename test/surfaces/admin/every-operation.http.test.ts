import type { LightMyRequestResponse } from 'fastify';
import { beforeAll, describe, expect, it } from 'vitest';
import { createTestAccount } from '../../support/accounts.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { createTestOperator, ORIGIN, type TestOperator } from '../../support/operators.js';
import { suiteApp } from '../../support/suite.js';

// Each test makes several hundred requests, possibly on a busy machine.
interface Operation {
  operationId: string;
  description: string;
  tags?: string[];
  security?: object[];
  requestBody?: object;
}

interface TestedOperation extends Operation {
  name: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  requiredRole: string;
  scope: 'self' | 'account' | 'installation';
}

const heliograph = suiteApp({ role: 'api' });
let operations: TestedOperation[];
let channel: TestChannel;
let foreignAccountId: string;

/** In ascending order. */
const ROLES = ['viewer', 'developer', 'owner'] as const;

beforeAll(async () => {
  const { paths } = (await heliograph.app.inject({ url: '/openapi.json' })).json() as {
    paths: Record<string, Record<string, Operation>>;
  };
  operations = Object.entries(paths)
    .filter(([path]) => path.startsWith('/admin/v1'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => readOperation(method, path, operation)),
    );
  channel = await createTestChannel(heliograph.deps);
  foreignAccountId = (await createTestAccount(heliograph.deps)).id;
});

function readOperation(method: string, path: string, operation: Operation): TestedOperation {
  const [, role, roleScope] = /Requires the role `(\w+)` for the (\w+)\./.exec(operation.description) ?? [];
  const requiredRole = role ?? (operation.security?.length ? 'session' : 'nothing');
  const scope = (roleScope ?? 'self') as TestedOperation['scope'];
  return {
    ...operation,
    name: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase() as TestedOperation['method'],
    path: path.slice('/admin/v1'.length),
    requiredRole,
    scope,
  };
}

/** Fills a path with an existing account and channel; all other IDs are random. */
function fillPath({ path }: TestedOperation, accountId = channel.account.id): string {
  return path
    .replace('{accountId}', accountId)
    .replace('{channelId}', channel.channelId)
    .replaceAll(/\{\w+\}/g, crypto.randomUUID());
}

/** Recognizes the endpoint with a stream, because `inject` would wait forever for the stream's end. */
const isStream = ({ path }: TestedOperation) => path === '/live';

const request = (operator: TestOperator, operation: TestedOperation, path = fillPath(operation)) =>
  operator.ask(operation.method, path, operation.requestBody ? {} : undefined);

const isAllowed = ({ statusCode }: LightMyRequestResponse) =>
  statusCode !== 401 && statusCode !== 403 && statusCode < 500;

async function checkOperations(
  isIncluded: (operation: TestedOperation) => boolean,
  check: (operation: TestedOperation) => Promise<string | null>,
) {
  const problems: string[] = [];
  const chosenOperations = operations.filter((operation) => isIncluded(operation) && !isStream(operation));
  expect(chosenOperations.length).toBeGreaterThan(0);
  for (const operation of chosenOperations) {
    const problem = await check(operation);
    if (problem !== null) problems.push(`${operation.name}: ${problem}`);
  }
  expect(problems).toEqual([]);
}

const summarize = ({ statusCode, body }: LightMyRequestResponse) => `${statusCode} ${body.slice(0, 200)}`;

describe('every operation of the console', () => {
  it('is documented under its tag, with an operation ID that starts with console', () => {
    expect(operations.length).toBeGreaterThan(20);
    for (const { name, tags, operationId } of operations) {
      expect(tags, name).toEqual(['Console']);
      expect(operationId, name).toMatch(/^console[A-Z]/);
    }
  });

  it('requires more than the role viewer if it changes something', () => {
    const changingOperations = operations.filter(({ method, scope }) => method !== 'GET' && scope !== 'self');
    expect(changingOperations.filter(({ requiredRole }) => requiredRole === 'viewer').map(({ name }) => name)).toEqual(
      [],
    );
  });

  it('returns 401 without a session, and with an unknown one', async () => {
    const headersWithoutSession = { origin: ORIGIN, 'content-type': 'application/json' };
    await checkOperations(
      ({ requiredRole }) => requiredRole !== 'nothing',
      async (operation) => {
        for (const cookie of [undefined, `heliograph=${'x'.repeat(43)}`, 'heliograph=x']) {
          const response = await heliograph.app.inject({
            method: operation.method,
            url: `/admin/v1${fillPath(operation)}`,
            headers: { ...headersWithoutSession, ...(cookie && { cookie }) },
            ...(operation.requestBody && { payload: {} }),
          });
          if (response.statusCode !== 401) return summarize(response);
        }
        return null;
      },
    );
  });

  it.each(ROLES)('for an account lets a %s do what the role allows and nothing more', async (role) => {
    await checkOperations(
      ({ scope }) => scope === 'account',
      async (operation) => {
        const operator = await createTestOperator(heliograph, { role, accountId: channel.account.id });
        const response = await request(operator, operation);
        const isPermitted = ROLES.indexOf(role) >= ROLES.indexOf(operation.requiredRole as (typeof ROLES)[number]);
        return (isPermitted ? isAllowed(response) : response.statusCode === 403) ? null : summarize(response);
      },
    );
  });

  it('for an account returns 404 for owners of another account, but allows owners of the installation', async () => {
    const foreignOwner = await createTestOperator(heliograph, { role: 'owner', accountId: foreignAccountId });
    await checkOperations(
      ({ scope }) => scope === 'account',
      async (operation) => {
        const refusal = await request(foreignOwner, operation);
        if (refusal.statusCode !== 404) return `stranger ${summarize(refusal)}`;
        const ownerResponse = await request(await createTestOperator(heliograph), operation);
        return isAllowed(ownerResponse) ? null : `owner ${summarize(ownerResponse)}`;
      },
    );
  });

  it('for an account returns 404 for an operator without any role', async () => {
    const operatorWithoutRole = await createTestOperator(heliograph, { accountId: channel.account.id });
    await heliograph.deps.prisma.operatorGrant.deleteMany({ where: { operatorId: operatorWithoutRole.id } });
    await checkOperations(
      ({ scope }) => scope !== 'self',
      async (operation) => {
        const response = await request(operatorWithoutRole, operation);
        return response.statusCode ===
          (operation.scope === 'account' || operation.path.includes('{accountId}') ? 404 : 403)
          ? null
          : summarize(response);
      },
    );
    expect((await operatorWithoutRole.ask('GET', '/accounts')).json()).toEqual({ data: [], next: null });
    expect((await operatorWithoutRole.ask('GET', '/session')).json().data).toMatchObject({ grants: [], accounts: [] });
  });

  it('for a channel returns 404 below another account, even to an operator with all roles', async () => {
    const { ask } = await createTestOperator(heliograph);
    for (const operation of operations.filter(
      ({ path }) => path.includes('{channelId}') && !isStream({ path } as TestedOperation),
    )) {
      const response = await ask(
        operation.method,
        fillPath(operation, foreignAccountId),
        operation.requestBody ? {} : undefined,
      );
      expect(response.statusCode, operation.name).toBe(404);
    }
  });

  it('that changes something of a channel returns 404 after the channel was deleted', async () => {
    const { ask } = await createTestOperator(heliograph);
    const deletedChannel = await createTestChannel(heliograph.deps, channel.account);
    await heliograph.deps.prisma.channel.update({
      where: { id: deletedChannel.channelId },
      data: { deletedAt: new Date() },
    });
    await checkOperations(
      ({ method, path }) => method !== 'GET' && path.includes('{channelId}'),
      async (operation) => {
        const path = fillPath({ ...operation, path: operation.path.replace('{channelId}', deletedChannel.channelId) });
        const response = await ask(operation.method, path, operation.requestBody ? {} : undefined);
        const { message } = response.json().error ?? response.json();
        const isRefused = response.statusCode === 404 && message === 'No channel has this id.';
        return isRefused ? null : summarize(response);
      },
    );
  });

  it.each(ROLES)('for the installation lets a %s do what the role allows and nothing more', async (role) => {
    await checkOperations(
      ({ scope }) => scope === 'installation',
      async (operation) => {
        const operator = await createTestOperator(heliograph, { role });
        const response = await request(operator, operation);
        const isPermitted = ROLES.indexOf(role) >= ROLES.indexOf(operation.requiredRole as (typeof ROLES)[number]);
        return (isPermitted ? isAllowed(response) : response.statusCode === 403) ? null : summarize(response);
      },
    );
  });

  it('for the installation returns 403 for owners of an account', async () => {
    const operator = await createTestOperator(heliograph, { role: 'owner', accountId: channel.account.id });
    await checkOperations(
      ({ scope }) => scope === 'installation',
      async (operation) => {
        const response = await request(operator, operation);
        return response.statusCode === 403 ? null : summarize(response);
      },
    );
  });

  it('that changes something is refused from another origin and with a form body', async () => {
    const { headers } = await createTestOperator(heliograph);
    await checkOperations(
      ({ method }) => method !== 'GET',
      async (operation) => {
        const send = (overrides: Record<string, string>) =>
          heliograph.app.inject({
            method: operation.method,
            url: `/admin/v1${fillPath(operation)}`,
            headers: { ...headers, ...overrides },
          });
        const foreignOriginResponse = await send({ origin: 'http://evil.example' });
        if (foreignOriginResponse.statusCode !== 403) return summarize(foreignOriginResponse);
        const formResponse = await send({ 'content-type': 'application/x-www-form-urlencoded' });
        return formResponse.statusCode === 415 ? null : summarize(formResponse);
      },
    );
  });
});
