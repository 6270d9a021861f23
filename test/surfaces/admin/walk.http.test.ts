import type { LightMyRequestResponse } from 'fastify';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestAccount } from '../../support/accounts.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { createTestOperator, ORIGIN, type TestOperator } from '../../support/operators.js';
import { suiteApp } from '../../support/suite.js';

// Each test makes some hundred requests, possibly on a busy machine.
vi.setConfig({ testTimeout: 150_000 });

interface Operation {
  operationId: string;
  description: string;
  tags?: string[];
  security?: object[];
  requestBody?: object;
}

interface Walked extends Operation {
  name: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  needs: string;
  of: 'self' | 'account' | 'installation';
}

const heliograph = suiteApp({ role: 'api' });
let walked: Walked[];
let channel: TestChannel;
let foreign: string;

/** In ascending order. */
const ROLES = ['viewer', 'developer', 'owner'] as const;

beforeAll(async () => {
  const { paths } = (await heliograph.app.inject({ url: '/openapi.json' })).json() as {
    paths: Record<string, Record<string, Operation>>;
  };
  walked = Object.entries(paths)
    .filter(([path]) => path.startsWith('/admin/v1'))
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, each]) => readWalked(method, path, each)));
  channel = await createTestChannel(heliograph.deps);
  foreign = (await createTestAccount(heliograph.deps)).id;
});

function readWalked(method: string, path: string, operation: Operation): Walked {
  const [, role, place] = /Requires the role `(\w+)` for the (\w+)\./.exec(operation.description) ?? [];
  const needs = role ?? (operation.security?.length ? 'session' : 'nothing');
  const of = (place ?? 'self') as Walked['of'];
  return {
    ...operation,
    name: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase() as Walked['method'],
    path: path.slice('/admin/v1'.length),
    needs,
    of,
  };
}

/** Only the account and the channel exist; other resources do not. */
function fill({ path }: Walked, accountId = channel.account.id): string {
  return path
    .replace('{accountId}', accountId)
    .replace('{channelId}', channel.channelId)
    .replaceAll(/\{\w+\}/g, crypto.randomUUID());
}

/** `inject` would wait forever for the end of a stream. */
const isStream = ({ path }: Walked) => path === '/live';

const ask = (operator: TestOperator, operation: Walked, path = fill(operation)) =>
  operator.ask(operation.method, path, operation.requestBody ? {} : undefined);

const isLetIn = ({ statusCode }: LightMyRequestResponse) =>
  statusCode !== 401 && statusCode !== 403 && statusCode < 500;

async function walk(which: (each: Walked) => boolean, check: (each: Walked) => Promise<string | null>) {
  const wrong: string[] = [];
  const chosen = walked.filter((each) => which(each) && !isStream(each));
  expect(chosen.length).toBeGreaterThan(0);
  for (const each of chosen) {
    const problem = await check(each);
    if (problem !== null) wrong.push(`${each.name}: ${problem}`);
  }
  expect(wrong).toEqual([]);
}

const summarize = ({ statusCode, body }: LightMyRequestResponse) => `${statusCode} ${body.slice(0, 200)}`;

describe('every operation of the console', () => {
  it('is documented under its tag, with an operation ID that starts with console', () => {
    expect(walked.length).toBeGreaterThan(20);
    for (const { name, tags, operationId } of walked) {
      expect(tags, name).toEqual(['Console']);
      expect(operationId, name).toMatch(/^console[A-Z]/);
    }
  });

  it('requires more than the role viewer if it changes something', () => {
    const changing = walked.filter(({ method, of }) => method !== 'GET' && of !== 'self');
    expect(changing.filter(({ needs }) => needs === 'viewer').map(({ name }) => name)).toEqual([]);
  });

  it('answers 401 without a session, and with an unknown one', async () => {
    const stranger = { origin: ORIGIN, 'content-type': 'application/json' };
    await walk(
      ({ needs }) => needs !== 'nothing',
      async (each) => {
        for (const cookie of [undefined, `heliograph=${'x'.repeat(43)}`, 'heliograph=x']) {
          const response = await heliograph.app.inject({
            method: each.method,
            url: `/admin/v1${fill(each)}`,
            headers: { ...stranger, ...(cookie && { cookie }) },
            ...(each.requestBody && { payload: {} }),
          });
          if (response.statusCode !== 401) return summarize(response);
        }
        return null;
      },
    );
  });

  it.each(ROLES)('for an account lets a %s do what the role allows and nothing more', async (role) => {
    await walk(
      ({ of }) => of === 'account',
      async (each) => {
        const operator = await createTestOperator(heliograph, { role, accountId: channel.account.id });
        const response = await ask(operator, each);
        const may = ROLES.indexOf(role) >= ROLES.indexOf(each.needs as (typeof ROLES)[number]);
        return (may ? isLetIn(response) : response.statusCode === 403) ? null : summarize(response);
      },
    );
  });

  it('for an account answers 404 to owners of another account, but allows owners of the installation', async () => {
    const stranger = await createTestOperator(heliograph, { role: 'owner', accountId: foreign });
    await walk(
      ({ of }) => of === 'account',
      async (each) => {
        const refused = await ask(stranger, each);
        if (refused.statusCode !== 404) return `stranger ${summarize(refused)}`;
        const owner = await ask(await createTestOperator(heliograph), each);
        return isLetIn(owner) ? null : `owner ${summarize(owner)}`;
      },
    );
  });

  it('for an account answers 404 to an operator without any role', async () => {
    const nobody = await createTestOperator(heliograph, { accountId: channel.account.id });
    await heliograph.deps.prisma.operatorGrant.deleteMany({ where: { operatorId: nobody.id } });
    await walk(
      ({ of }) => of !== 'self',
      async (each) => {
        const response = await ask(nobody, each);
        return response.statusCode === (each.of === 'account' || each.path.includes('{accountId}') ? 404 : 403)
          ? null
          : summarize(response);
      },
    );
    expect((await nobody.ask('GET', '/accounts')).json()).toEqual({ data: [], next: null });
    expect((await nobody.ask('GET', '/session')).json().data).toMatchObject({ grants: [], accounts: [] });
  });

  it('for a channel answers 404 below another account, even to an operator with all roles', async () => {
    const { ask: asks } = await createTestOperator(heliograph);
    for (const each of walked.filter(({ path }) => path.includes('{channelId}') && !isStream({ path } as Walked))) {
      const response = await asks(each.method, fill(each, foreign), each.requestBody ? {} : undefined);
      expect(response.statusCode, each.name).toBe(404);
    }
  });

  it('that changes something of a channel answers 404 after the channel was deleted', async () => {
    const { ask: asks } = await createTestOperator(heliograph);
    const deleted = await createTestChannel(heliograph.deps, channel.account);
    await heliograph.deps.prisma.channel.update({
      where: { id: deleted.channelId },
      data: { deletedAt: new Date() },
    });
    await walk(
      ({ method, path }) => method !== 'GET' && path.includes('{channelId}'),
      async (each) => {
        const path = fill({ ...each, path: each.path.replace('{channelId}', deleted.channelId) });
        const response = await asks(each.method, path, each.requestBody ? {} : undefined);
        const { message } = response.json().error ?? response.json();
        const isRefused = response.statusCode === 404 && message === 'No channel has this id.';
        return isRefused ? null : summarize(response);
      },
    );
  });

  it.each(ROLES)('for the installation lets a %s do what the role allows and nothing more', async (role) => {
    await walk(
      ({ of }) => of === 'installation',
      async (each) => {
        const operator = await createTestOperator(heliograph, { role });
        const response = await ask(operator, each);
        const may = ROLES.indexOf(role) >= ROLES.indexOf(each.needs as (typeof ROLES)[number]);
        return (may ? isLetIn(response) : response.statusCode === 403) ? null : summarize(response);
      },
    );
  });

  it('for the installation answers 403 to owners of an account', async () => {
    const operator = await createTestOperator(heliograph, { role: 'owner', accountId: channel.account.id });
    await walk(
      ({ of }) => of === 'installation',
      async (each) => {
        const response = await ask(operator, each);
        return response.statusCode === 403 ? null : summarize(response);
      },
    );
  });

  it('that changes something is refused from another origin, and as a form', async () => {
    const { headers } = await createTestOperator(heliograph);
    await walk(
      ({ method }) => method !== 'GET',
      async (each) => {
        const send = (more: Record<string, string>) =>
          heliograph.app.inject({
            method: each.method,
            url: `/admin/v1${fill(each)}`,
            headers: { ...headers, ...more },
          });
        const foreignPage = await send({ origin: 'http://evil.example' });
        if (foreignPage.statusCode !== 403) return summarize(foreignPage);
        const form = await send({ 'content-type': 'application/x-www-form-urlencoded' });
        return form.statusCode === 415 ? null : summarize(form);
      },
    );
  });
});
