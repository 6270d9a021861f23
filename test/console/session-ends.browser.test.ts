import { expect, it } from 'vitest';
import { createOperator } from '../../src/accounts/operators/operators.js';
import { newId } from '../../src/platform/ids.js';
import { createTestChannel } from '../support/channels.js';
import { PASSWORD } from '../support/operators.js';
import { describeConsole } from './support/describe-console.js';
import { expectProblems } from './support/page-problems.js';

describeConsole('the end of a session', (console) => {
  const endSessions = () => console.api.deps.prisma.operatorSession.deleteMany({});
  const signInAsNewOperator = async (page: Awaited<ReturnType<typeof console.open>>) => {
    const name = `other-${newId().slice(-8)}`;
    const grants = [{ role: 'owner', accountId: null }] as const;
    await createOperator(console.api.deps.prisma, { name, password: PASSWORD, grants });
    await page.getByLabel('Name').fill(name);
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    return name;
  };

  it('an expired session leads from the operator’s page to the sign-in page and back', async () => {
    const page = await console.open('/console/me');
    await page.getByText('This session').waitFor();
    await endSessions();
    expectProblems(page, /status of 401/);
    await page.getByRole('button', { name: 'Set up a second factor' }).click();
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
    const name = await signInAsNewOperator(page);
    await page.getByText(`You are signed in as ${name}.`).waitFor();
  });

  it('the next operator in a tab sees no secrets and no cached data of the previous one', async () => {
    const channel = await createTestChannel(console.api.deps, console.account);
    const payload = { phone: '15005550161', name: 'Mary Golda Ross' };
    const { headers } = channel;
    await console.api.app.inject({ method: 'POST', url: '/api/v1/contacts', headers, payload });
    const page = await console.open('contacts');
    const contact = page.getByRole('link', { name: 'Mary Golda Ross' });
    await contact.waitFor();
    const navigation = page.getByRole('navigation', { name: 'Pages' });
    await navigation.getByRole('link', { name: 'Playground' }).click();
    const key = page.getByLabel('API key', { exact: true }).and(page.locator('input[type=password]'));
    await key.fill('a-secret-of-the-first');
    await endSessions();
    expectProblems(page, /status of 401/);
    await navigation.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
    await signInAsNewOperator(page);
    await navigation.getByRole('link', { name: 'Playground' }).click();
    await key.waitFor();
    expect(await key.inputValue()).toBe('');
    await page.route('**/contacts?**', () => undefined);
    const contactsRequest = page.waitForRequest('**/contacts?**');
    await navigation.getByRole('link', { name: 'Contacts' }).click();
    await contactsRequest;
    await page.getByRole('heading', { name: 'Contacts', exact: true }).waitFor();
    expect(await contact.count()).toBe(0);
  });
});
