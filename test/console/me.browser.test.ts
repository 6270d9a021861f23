import { TOTP, URI } from 'otpauth';
import { expect, it } from 'vitest';
import { checkAccessible } from './support/check-accessible.js';
import { describeConsole } from './support/describe-console.js';
import { expectProblems } from './support/page-problems.js';

const PASSWORD = 'a lamp and a mirror';

/** Each checks several states by axe. */
const PATIENCE_MS = 180_000;

describeConsole('the sign-in of an operator', (console) => {
  it('gets a password and a second factor, and asks for both the next time', { timeout: PATIENCE_MS }, async () => {
    const page = await console.open('/console/me', { role: 'developer', of: 'account' });
    const name = /signed in as (.+)\.$/.exec((await page.getByText('You are signed in as').textContent()) ?? '')?.[1];
    await page.getByLabel('New password', { exact: true }).fill(PASSWORD);
    await page.getByLabel('New password again').fill(PASSWORD);
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByRole('heading', { name: 'Password', exact: true }).waitFor();

    await page.getByRole('button', { name: 'Set up a second factor' }).click();
    await page.getByRole('img', { name: /QR code/ }).waitFor();
    await checkAccessible(page);
    const secret = await page.getByRole('textbox', { name: 'Secret' }).inputValue();
    const authenticator = URI.parse(`otpauth://totp/x?secret=${secret}`) as TOTP;
    expect(authenticator).toBeInstanceOf(TOTP);
    await page.getByLabel('Code that the app shows now').fill(authenticator.generate());
    await page.getByRole('button', { name: 'Confirm' }).click();
    const recoveryCode = (await page.getByRole('dialog').locator('code').first().textContent()) ?? '';
    await page.getByRole('button', { name: 'I have kept them' }).click();
    await page.getByText('recovery codes left').waitFor();

    await page.getByRole('button', { name: 'You and your settings' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    expectProblems(page, /status of 401/);
    await page.getByLabel('Name').fill(name ?? '');
    await page.getByLabel('Password', { exact: true }).fill('something else');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Name or password is wrong.').waitFor();
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'One more step' }).waitFor();
    await checkAccessible(page);
    await page.getByLabel('Code').fill(recoveryCode);
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  it('ends the other sessions', { timeout: PATIENCE_MS }, async () => {
    const page = await console.open('/console/me');
    await page.getByText('This one').waitFor();
    const mine = await page.getByText('You are signed in as').textContent();
    const operator = await console.api.deps.prisma.operator.findUniqueOrThrow({
      where: { name: /signed in as (.+)\.$/.exec(mine ?? '')?.[1] ?? '' },
    });
    await console.api.deps.sessions.begin(operator.id, { address: '192.0.2.7', userAgent: 'Firefox/140.0 Linux' });
    await page.reload();
    await page.getByRole('cell', { name: 'Firefox, Linux' }).waitFor();
    await page.getByRole('button', { name: 'End all others' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End all others' }).click();
    await expect.poll(() => page.getByRole('cell', { name: 'Firefox, Linux' }).count()).toBe(0);
    expect(await page.getByText('This one').count()).toBe(1);
  });
});
