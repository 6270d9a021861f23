import { expect, it } from 'vitest';
import { createGroup, createTemplate } from '../support/channel-contents.js';
import { createTestChannel } from '../support/channels.js';
import { describeConsole } from './support/describe-console.js';
import { takeShots } from './support/take-shots.js';

describeConsole('automations', (console) => {
  it('an operator creates an automation, moves steps by keyboard, tries it, cancels the run and switches it off', async () => {
    const { deps } = console.api;
    const channel = await createTestChannel(deps, console.account);
    await createTemplate(deps, channel, { name: 'hello', body: 'Hello {{1}}, hi' });
    await createGroup(deps, channel, { name: 'Newcomers' });
    const page = await console.open('automations');
    await page.getByRole('link', { name: 'New automation' }).first().click();
    await page.getByLabel('Name').fill('Welcome');
    await page.getByLabel('Keyword').fill('start');

    const add = async (type: string) => {
      await page.getByRole('button', { name: 'Add step' }).click();
      await page.getByRole('menuitem', { name: type }).click();
    };
    await add('Wait');
    await page.getByLabel('Duration').fill('2');
    await add('Send a template');
    await page.getByRole('combobox', { name: 'Template', exact: true }).selectOption({ label: 'hello (en_US)' });
    await page.getByRole('textbox', { name: '{{1}} in the body', exact: true }).fill('{{contact.name|there}}');
    await add('Add to a group');
    await page.getByRole('combobox', { name: 'Group', exact: true }).selectOption({ label: 'Newcomers (3)' });
    await page.getByRole('button', { name: 'Move step 1 down' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('1. Send a template').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('3. Wait').waitFor();
    await takeShots(page, 'automation-new');
    await page.getByRole('button', { name: 'Create automation' }).click();

    await page.getByRole('heading', { name: 'Welcome' }).waitFor();
    await page.getByLabel('Phone number').fill('+1 500 555 0111');
    await page.getByRole('button', { name: 'Start for this number' }).click();
    const runs = page.getByRole('region', { name: 'Runs', exact: true });
    await runs.getByText('Waiting until').waitFor();
    await runs.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Cancel run' }).click();
    await runs.getByRole('cell').getByText('Canceled').waitFor();

    await page.getByRole('link', { name: '← Automations' }).click();
    await page.getByRole('switch', { name: '“Welcome” is on' }).click({ force: true });
    await expect.poll(async () => (await deps.prisma.automation.findFirstOrThrow()).isActive).toBe(false);
    const [automation] = await deps.prisma.automation.findMany();
    expect(automation?.steps).toMatchObject([
      { type: 'send_template', templateName: 'hello' },
      { type: 'add_to_group' },
      { type: 'wait', seconds: 7200 },
    ]);
  });
});
