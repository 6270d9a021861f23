import type { LightMyRequestResponse } from 'fastify';
import { LockedOperator } from '../../src/accounts/operators/locked-operator.js';
import { createOperator } from '../../src/accounts/operators/operators.js';
import type { Grant, OperatorRole } from '../../src/accounts/operators/roles/roles.js';
import type { ClientInfo, NewSession, SignInMethod } from '../../src/accounts/operators/sessions/sessions.js';
import { createTestAccount } from './accounts.js';
import { forEachTest } from './for-suite.js';
import { ManualClock } from './manual-clock.js';
import { suiteApp } from './suite.js';
import type { TestApp, TestAppOptions } from './test-app.js';

export interface TestOperator {
  id: string;
  name: string;
  /** Headers that a console page sends with every request, for `app.inject`. */
  headers: { cookie: string; origin: string; 'content-type': string };
  ask(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: object,
  ): Promise<LightMyRequestResponse>;
}

/** Origin of the server in requests by `app.inject`. */
export const ORIGIN = 'http://localhost:80';

export const PASSWORD = 'correct horse battery';

let count = 0;

export async function createTestOperator(
  heliograph: Pick<TestApp, 'app' | 'deps'>,
  {
    role = 'owner',
    accountId = null,
    grants = [{ role, accountId }],
    password,
  }: { role?: OperatorRole; accountId?: string | null; grants?: readonly Grant[]; password?: string } = {},
): Promise<TestOperator> {
  const { app, deps } = heliograph;
  count += 1;
  const { id, name } = await createOperator(deps.prisma, { name: `${role}-${count}`, password, grants });
  const { token } = await beginSession(deps, id);
  const headers = { cookie: `heliograph=${token}`, origin: ORIGIN, 'content-type': 'application/json' };
  const ask: TestOperator['ask'] = (method, path, body) =>
    app.inject({ method, url: `/admin/v1${path}`, headers, ...(body && { payload: body }) });
  return { id, name, headers, ask };
}

/** Gives each test an owner of the installation, and moves the clock so that failed sign-ins of earlier tests do not count. */
export function suiteWithOwner(options: Omit<TestAppOptions, 'clock'> = {}) {
  const clock = new ManualClock();
  const heliograph = suiteApp({ role: 'api', ...options, clock });
  const operator = forEachTest(async () => {
    clock.advance(6 * 60_000);
    return await createTestOperator(heliograph, { password: PASSWORD });
  });
  return { clock, heliograph, operator };
}

export async function createShop(heliograph: Pick<TestApp, 'app' | 'deps'>) {
  const { id: accountId } = await createTestAccount(heliograph.deps, { name: 'Shop' });
  return { accountId, owner: await createTestOperator(heliograph) };
}

export function beginSession(
  { prisma, sessions }: Pick<TestApp['deps'], 'prisma' | 'sessions'>,
  operatorId: string,
  client: ClientInfo = { address: '127.0.0.1', userAgent: 'test' },
  method?: SignInMethod,
): Promise<NewSession> {
  return prisma.$transaction(async (transaction) => {
    const operator = await LockedOperator.lock(transaction, operatorId);
    if (!operator) throw new Error('the operator does not exist');
    return sessions.create(operator, client, method);
  });
}
