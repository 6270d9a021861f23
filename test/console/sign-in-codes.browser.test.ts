import { expect, it } from 'vitest';
import { newId } from '../../src/platform/ids.js';
import { checkAccessible } from './support/check-accessible.js';
import { describeConsole } from './support/describe-console.js';
import { expectProblems } from './support/page-problems.js';

describeConsole('sign-in codes in the console', (console) => {
  it.each([
    ['a desktop', { width: 1280, height: 900 }],
    ['a phone', { width: 390, height: 844 }],
  ])('have hooks that are added, given another secret and removed, on %s', async (_where, size) => {
    const { prisma } = console.api.deps;
    const { id: accountId } = console.account;
    const page = await console.open('developers/sign-in-codes');
    await page.setViewportSize(size);
    await page.getByText('No login system yet').waitFor();
    await page.getByText('No code was sent.').waitFor();
    await page.getByRole('button', { name: 'Add hook' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name in the text').fill('Acme');
    await dialog.getByLabel('Sender ID of SMS').fill('Acme');
    // One that Supabase would not have made.
    expectProblems(page, /status of 400/);
    await dialog.getByLabel('Its secret').fill('short');
    await checkAccessible(page, 'sign-in-hook-new');
    await dialog.getByRole('button', { name: 'Add hook' }).click();
    await dialog.getByText(/v1,whsec_ followed by base64/).waitFor();
    await dialog.getByLabel('Its secret').fill('');
    await dialog.getByRole('button', { name: 'Add hook' }).click();
    const made = page.getByRole('dialog', { name: 'Hook added' });
    const secret = await made.getByRole('textbox', { name: 'Secret' }).inputValue();
    expect(secret).toMatch(/^v1,whsec_/);
    const service = await prisma.signInService.findFirstOrThrow({ where: { accountId } });
    expect(await made.getByRole('textbox', { name: 'URL' }).inputValue()).toMatch(
      new RegExp(`^https?://.*/hooks/sign-in/${service.id}$`),
    );
    await checkAccessible(page, 'sign-in-hook-made');
    await made.getByRole('button', { name: 'Done' }).click();
    await made.waitFor({ state: 'detached' });

    await page.getByText('Supabase · Acme').waitFor();
    await page.getByText('SMS from Acme').waitFor();
    expect(await page.getByText(secret).count()).toBe(0);
    await page.getByRole('button', { name: 'New secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click();
    const renewed = page.getByRole('dialog', { name: 'The secret was replaced' });
    expect(await renewed.getByRole('textbox', { name: 'Secret' }).inputValue()).not.toBe(secret);
    await renewed.getByRole('button', { name: 'Done' }).click();
    await renewed.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Remove it' }).click();
    await page.getByText('No login system yet').waitFor();
    expect(await prisma.signInService.count({ where: { accountId } })).toBe(0);
  });

  it('tell by country how many were sent and approved, and no code', async () => {
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
