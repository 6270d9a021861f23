import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/ids.js';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { createTestOperator, type TestOperator } from '../../support/operators.js';
import { suiteApp } from '../../support/suite.js';

const heliograph = suiteApp({ role: 'api' });
let account: TestAccount;
let developer: TestOperator;

beforeAll(async () => {
  account = await createTestAccount(heliograph.deps);
  developer = await createTestOperator(heliograph, { role: 'developer', accountId: account.id });
});
const request = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object, caller = developer) =>
  caller.ask(method, `/accounts/${account.id}/sign-in${path}`, body);

describe('hooks of login systems in the console', () => {
  it('are created, show their secret once, get a new secret, and are removed', async () => {
    const createResponse = await request('POST', '/services', {
      type: 'authentik',
      appName: 'Acme',
      sender: 'Acme',
      locale: 'de',
    });
    const { id, secret, ...hook } = createResponse.json().data;
    expect(hook).toMatchObject({ path: `/hooks/sign-in/${id}`, serviceSid: null, hasSecret: true, locale: 'de' });
    const callHook = (bearerSecret: string) =>
      heliograph.app.inject({
        method: 'POST',
        url: hook.path,
        headers: { authorization: `Bearer ${bearerSecret}`, 'content-type': 'application/json' },
        payload: { To: '+15005550111', Body: 'Code 123456' },
      });
    expect((await callHook(secret)).statusCode).toBe(200);
    const listResponse = await request('GET', '/services');
    expect(listResponse.json().data).toEqual([{ id, ...hook }]);
    expect(listResponse.body).not.toContain(secret);
    const newSecret = (await request('POST', `/services/${id}/secret`, {})).json().data;
    expect(newSecret.secret).not.toBe(secret);
    expect([(await callHook(secret)).statusCode, (await callHook(newSecret.secret)).statusCode]).toEqual([401, 200]);
    expect((await request('DELETE', `/services/${id}`)).statusCode).toBe(200);
    expect((await callHook(newSecret.secret)).statusCode).toBe(404);
    const auditEntries = await heliograph.deps.prisma.auditLine.findMany({
      where: { subject: id },
      orderBy: { id: 'asc' },
    });
    expect(auditEntries.map(({ action }) => action)).toEqual(['service.add', 'service.secret', 'service.remove']);
    expect(JSON.stringify(auditEntries)).not.toContain(newSecret.secret);
  });

  it.each([
    [{ type: 'okta' }, 'type'],
    [{ appName: '***' }, 'appName'],
    [{ sender: ' ' }, 'sender'],
    [{ digits: 3 }, 'digits'],
    [{ template: 'sign_in' }, 'template'],
    [{ secret: 'short' }, 'secret'],
  ])('cannot be created with %j', async (overrides, field) => {
    const response = await request('POST', '/services', {
      type: 'auth0',
      appName: 'Acme',
      sender: 'Acme',
      ...overrides,
    });
    expect(response.statusCode).toBe(400);
    expect(response.json().error.details).toEqual([expect.objectContaining({ field })]);
  });

  it('belong to their account, and a Verify service has no secret', async () => {
    const { id, serviceSid } = (
      await request('POST', '/services', { type: 'verify', appName: 'Acme', sender: 'Acme' })
    ).json().data;
    expect(serviceSid).toBe(`VA${id.replaceAll('-', '')}`);
    expect((await request('POST', `/services/${id}/secret`, {})).statusCode).toBe(409);
    const otherAccount = await createTestAccount(heliograph.deps);
    const otherOperator = await createTestOperator(heliograph, { role: 'developer', accountId: otherAccount.id });
    const foreignResponse = await otherOperator.ask('DELETE', `/accounts/${otherAccount.id}/sign-in/services/${id}`);
    expect(foreignResponse.statusCode).toBe(404);
    expect((await request('DELETE', `/services/${newId()}`)).statusCode).toBe(404);
  });
});

it('the console counts codes by country', async () => {
  const code = { accountId: account.id, createdAt: new Date(), expiresAt: new Date(), digits: 6, sends: 2 };
  await heliograph.deps.prisma.verification.createMany({
    data: [
      { ...code, id: newId(), recipient: '447700900123', callingCode: '44', checks: 1, status: 'approved' },
      { ...code, id: newId(), recipient: '447700900124', callingCode: '44' },
    ],
  });
  const { data } = (await request('GET', '/counts?days=30')).json();
  expect(data).toContainEqual({ callingCode: '44', codes: 2, sent: 4, checked: 1, approved: 1, passedOn: 0 });
  expect((await request('GET', '/counts?days=0')).statusCode).toBe(400);
});
