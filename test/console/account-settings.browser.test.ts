import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { buildGuard, buildLimit } from '../support/guards.js';
import { createTestOperator } from '../support/operators.js';
import { checkAccessible } from './support/check-accessible.js';
import { describeConsole } from './support/describe-console.js';
import { expectProblems } from './support/page-problems.js';
import { takeShots } from './support/take-shots.js';

describeConsole('account settings', (console) => {
  const path = (suffix = '') => `/accounts/${console.account.id}${suffix}`;
  const region = (page: Page, name: string) => page.getByRole('region', { name });

  it('saving account settings sends only the edited fields and keeps concurrent changes of other fields', async () => {
    const { ask } = await createTestOperator(console.api);
    const page = await console.open('settings');
    const settings = region(page, 'Settings');
    const senders = settings.getByRole('combobox', { name: 'Sender IDs' });
    const save = settings.getByRole('button', { name: 'Save' }).last();
    await senders.waitFor();
    expect(await save.isDisabled()).toBe(true);
    expect((await ask('PATCH', path(), { senderIds: ['Beacon'] })).statusCode).toBe(200);
    await settings.getByText('Beacon', { exact: true }).waitFor();

    const usdCard = await ask('POST', '/rates', { id: 'other', currency: 'USD', sms: '0.02', whatsapp: '0.02' });
    expect(usdCard.statusCode, usdCard.body).toBe(200);
    await senders.fill('Lamp');
    await senders.press('Enter');
    expect((await ask('PATCH', path(), { rateCard: 'other' })).statusCode).toBe(200);
    await expect.poll(() => settings.getByRole('combobox', { name: 'Rate card' }).inputValue()).toBe('other');
    const [patchRequest] = await Promise.all([
      page.waitForRequest((request) => request.method() === 'PATCH'),
      save.click(),
    ]);
    expect(patchRequest.postDataJSON()).toEqual({ senderIds: ['Beacon', 'Lamp'] });
    await page.getByText('Saved. Takes effect within').waitFor();
    expect((await ask('GET', path('/settings'))).json().data).toMatchObject({
      senderIds: ['Beacon', 'Lamp'],
      rateCard: 'other',
    });
    await expect.poll(() => save.isDisabled()).toBe(true);
  });

  it('the guard form warns when someone else has changed the guard, and offers to load the current version', async () => {
    const { ask } = await createTestOperator(console.api);
    const saveElsewhere = async (most: string) => {
      const guard = buildGuard({ limits: [buildLimit(most)] });
      expect((await ask('PUT', path('/guard'), { guard })).statusCode).toBe(200);
    };
    const readGuard = async () => (await ask('GET', path('/guard'))).json().data.guard;
    const page = await console.open('settings');
    const guard = region(page, 'Spending guard');
    const most = guard.getByLabel('Amount of limit 1');
    const save = guard.getByRole('button', { name: 'Save' });
    await save.waitFor();

    await saveElsewhere('1000');
    await expect.poll(() => most.inputValue()).toBe('1000');

    await guard.getByRole('switch', { name: 'Refuse risky numbers' }).uncheck();
    await saveElsewhere('10');
    const notice = guard.getByRole('alert').filter({ hasText: 'Someone else has saved changes' });
    await notice.waitFor();
    await checkAccessible(page, 'guard-changed-meanwhile');
    await takeShots(page, 'guard-changed-meanwhile');
    expectProblems(page, /status of 412/);
    await save.click();
    await guard.getByText('Somebody else has changed this since you opened it').waitFor();
    expect((await readGuard()).limits).toMatchObject([{ most: '10' }]);

    await notice.getByRole('button', { name: 'Load current version' }).click();
    await expect.poll(() => most.inputValue()).toBe('10');
    await guard.getByRole('switch', { name: 'Refuse risky numbers' }).uncheck();
    await save.click();
    await expect.poll(readGuard).toMatchObject({ refusesRisky: false, limits: [{ most: '10' }] });
    expect(await notice.count()).toBe(0);
  });
});
