import { beforeAll, expect, it } from 'vitest';
import { call } from '../support/channel-calls.js';
import { createTestChannel, type TestChannel } from '../support/channels.js';
import { checkAccessible } from './support/check-accessible.js';
import { describeConsole } from './support/describe-console.js';

describeConsole('audiences', (console) => {
  let channel: TestChannel;
  beforeAll(async () => {
    channel = await createTestChannel(console.api.deps, console.account);
    await call(console.api, channel, 'POST', '/contacts/fields', { key: 'seats', label: 'Seats', type: 'number' });
    for (const [phone, name, seats, tags] of [
      ['33639980001', 'Zoé', 5, ['vip']],
      ['33639980002', 'Max', 20, []],
      ['447700900603', 'Ada', 30, ['vip']],
    ] as const)
      await call(console.api, channel, 'POST', '/contacts', { phone, name, tags, fields: { seats } });
  });

  it('the editor counts the contacts while a condition is edited, and saves the audience', async () => {
    const page = await console.open('audiences');
    await page.getByText('No audiences yet').waitFor();
    await page.getByRole('link', { name: 'Create audience' }).first().click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Big or important');
    const conditions = page.getByRole('region', { name: 'Conditions' });
    const preview = page.getByRole('region', { name: 'In this audience now' });
    const first = conditions.getByRole('group', { name: 'Condition 1' });
    await preview.getByText('Fill in every condition').waitFor();
    await first.getByLabel('Value').fill('vip');
    await preview.getByText('2 contacts').waitFor();
    await conditions.getByRole('button', { name: 'Add condition' }).click();
    const second = conditions.getByRole('group', { name: 'Condition 2' });
    await second.getByLabel('Field').selectOption('Country');
    await second.getByLabel('Value').fill('United K');
    await page.getByRole('option', { name: 'United Kingdom' }).click();
    await preview.getByText('1 contact', { exact: true }).waitFor();
    await preview.getByRole('link', { name: 'Ada' }).waitFor();
    await conditions.getByLabel('Include contacts who meet').selectOption('none of these conditions');
    await preview.getByRole('link', { name: 'Max' }).waitFor();
    await conditions.getByRole('button', { name: 'Add list' }).click();
    const list = conditions.getByRole('region', { name: 'List 3' });
    const third = list.getByRole('group', { name: 'Condition 1' });
    await third.getByLabel('Field').selectOption('Seats');
    await third.getByLabel('Comparison').selectOption('is less than');
    await third.getByLabel('Value').fill('10');
    await preview.getByText('1 contact', { exact: true }).waitFor();
    await checkAccessible(page, 'audience-editor');
    await page.getByRole('button', { name: 'Create audience' }).click();
    await page.getByRole('heading', { name: 'Big or important' }).waitFor();
    expect(await conditions.getByRole('group', { name: /^Condition/ }).count()).toBe(3);
    await page.getByRole('link', { name: 'Show contacts' }).click();
    await page.getByRole('row', { name: /Max/ }).waitFor();
    expect(await page.getByRole('row', { name: /Zoé|Ada/ }).count()).toBe(0);
    await page.goBack();
    await page.getByRole('link', { name: 'All audiences' }).click();
    await page.getByRole('row', { name: /Big or important.*Tags, Country, seats/ }).waitFor();
    await checkAccessible(page, 'audiences');
  });
});
