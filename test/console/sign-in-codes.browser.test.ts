import { expect, it } from 'vitest';
import { newId } from '../../src/platform/ids.js';
import { checkAccessible } from './support/check-accessible.js';
import { describeConsole } from './support/describe-console.js';
import { expectProblems } from './support/page-problems.js';

describeConsole('sign-in codes', (console) => {
  it.each([
    ['a desktop', { width: 1280, height: 900 }],
    ['a phone', { width: 390, height: 844 }],
  ])('an operator adds a hook, replaces its secret and removes it on %s', async (_device, size) => {
    const { prisma } = console.api.deps;
    const { id: accountId } = console.account;
    const page = await console.open('developers/sign-in-codes');
    await page.setViewportSize(size);
    await page.getByText('No login system yet').waitFor();
    await page.getByText('No codes were sent.').waitFor();
    await page.getByRole('button', { name: 'Add hook' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name in the text').fill('Acme');
    await dialog.getByLabel('SMS sender ID').fill('Acme');
    // Not in Supabase's format.
    expectProblems(page, /status of 400/);
    await dialog.getByLabel('Secret from the login system').fill('short');
    await checkAccessible(page, 'sign-in-hook-new');
    await dialog.getByRole('button', { name: 'Add hook' }).click();
    await dialog.getByText(/v1,whsec_ followed by base64/).waitFor();
    await dialog.getByLabel('Secret from the login system').fill('');
    await dialog.getByRole('button', { name: 'Add hook' }).click();
    const addedDialog = page.getByRole('dialog', { name: 'Hook added' });
    const secret = await addedDialog.getByRole('textbox', { name: 'Secret' }).inputValue();
    expect(secret).toMatch(/^v1,whsec_/);
    const service = await prisma.signInService.findFirstOrThrow({ where: { accountId } });
    expect(await addedDialog.getByRole('textbox', { name: 'URL' }).inputValue()).toMatch(
      new RegExp(`^https?://.*/hooks/sign-in/${service.id}$`),
    );
    await checkAccessible(page, 'sign-in-hook-made');
    await addedDialog.getByRole('button', { name: 'Done' }).click();
    await addedDialog.waitFor({ state: 'detached' });

    await page.getByText('Supabase · Acme').waitFor();
    await page.getByText('SMS from Acme').waitFor();
    expect(await page.getByText(secret).count()).toBe(0);
    await page.getByRole('button', { name: 'New secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click();
    const renewedDialog = page.getByRole('dialog', { name: 'Secret replaced' });
    expect(await renewedDialog.getByRole('textbox', { name: 'Secret' }).inputValue()).not.toBe(secret);
    await renewedDialog.getByRole('button', { name: 'Done' }).click();
    await renewedDialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Remove it' }).click();
    await page.getByText('No login system yet').waitFor();
    expect(await prisma.signInService.count({ where: { accountId } })).toBe(0);
  });

  it('counts of sent and approved codes are shown by country, without recipients', async () => {
    const { id: accountId } = console.account;
    const now = new Date();
    const code = { accountId, callingCode: '49', digits: 6, createdAt: now, expiresAt: now, sends: 1 };
    await console.api.deps.prisma.verification.createMany({
      data: [
        { ...code, id: newId(), recipient: '4915123456789', status: 'approved', checks: 1, approvedAt: now },
        { ...code, id: newId(), recipient: '4915123456790' },
      ],
    });
    const page = await console.open('developers/sign-in-codes');
    const row = page.getByRole('row').filter({ hasText: '+49' });
    await row.getByText('50 %').waitFor();
    expect(await page.getByText('4915123456789').count()).toBe(0);
    await checkAccessible(page, 'sign-in-codes-counts');
  });
});
