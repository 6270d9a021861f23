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
const ask = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object, by = developer) =>
  by.ask(method, `/accounts/${account.id}/sign-in${path}`, body);

describe('hooks of login systems in the console', () => {
  it('are created, show their secret once, get another one, and are removed', async () => {
    const made = await ask('POST', '/services', { type: 'authentik', appName: 'Acme', sender: 'Acme', locale: 'de' });
    const { id, secret, ...shown } = made.json().data;
    expect(shown).toMatchObject({ path: `/hooks/sign-in/${id}`, serviceSid: null, hasSecret: true, locale: 'de' });
    const call = (by: string) =>
      heliograph.app.inject({
        method: 'POST',
        url: shown.path,
        headers: { authorization: `Bearer ${by}`, 'content-type': 'application/json' },
        payload: { To: '+15005550111', Body: 'Code 123456' },
      });
    expect((await call(secret)).statusCode).toBe(200);
    const listed = await ask('GET', '/services');
    expect(listed.json().data).toEqual([{ id, ...shown }]);
    expect(listed.body).not.toContain(secret);
    const renewed = (await ask('POST', `/services/${id}/secret`, {})).json().data;
    expect(renewed.secret).not.toBe(secret);
    expect([(await call(secret)).statusCode, (await call(renewed.secret)).statusCode]).toEqual([401, 200]);
    expect((await ask('DELETE', `/services/${id}`)).statusCode).toBe(200);
    expect((await call(renewed.secret)).statusCode).toBe(404);
    const lines = await heliograph.deps.prisma.auditLine.findMany({ where: { subject: id }, orderBy: { id: 'asc' } });
    expect(lines.map(({ action }) => action)).toEqual(['service.add', 'service.secret', 'service.remove']);
    expect(JSON.stringify(lines)).not.toContain(renewed.secret);
  });

  it.each([
    [{ type: 'okta' }, 'type'],
    [{ appName: '***' }, 'appName'],
    [{ sender: ' ' }, 'sender'],
    [{ digits: 3 }, 'digits'],
    [{ template: 'sign_in' }, 'template'],
    [{ secret: 'short' }, 'secret'],
  ])('refuse %j', async (more, field) => {
    const answer = await ask('POST', '/services', { type: 'auth0', appName: 'Acme', sender: 'Acme', ...more });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error.details).toEqual([expect.objectContaining({ field })]);
  });

  it('belong to their account, and a Verify service has no secret', async () => {
    const { id, serviceSid } = (
      await ask('POST', '/services', { type: 'verify', appName: 'Acme', sender: 'Acme' })
    ).json().data;
    expect(serviceSid).toBe(`VA${id.replaceAll('-', '')}`);
    expect((await ask('POST', `/services/${id}/secret`, {})).statusCode).toBe(409);
    const other = await createTestAccount(heliograph.deps);
    const stranger = await createTestOperator(heliograph, { role: 'developer', accountId: other.id });
    const foreign = await stranger.ask('DELETE', `/accounts/${other.id}/sign-in/services/${id}`);
    expect(foreign.statusCode).toBe(404);
    expect((await ask('DELETE', `/services/${newId()}`)).statusCode).toBe(404);
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
  const { data } = (await ask('GET', '/counts?days=30')).json();
  expect(data).toContainEqual({ callingCode: '44', codes: 2, sent: 4, checked: 1, approved: 1, passedOn: 0 });
  expect((await ask('GET', '/counts?days=0')).statusCode).toBe(400);
});
