import { expect, it } from 'vitest';
import { beginSession } from '../support/operators.js';
import { describeConsole } from './support/describe-console.js';

describeConsole('the operator’s own page', (console) => {
  it('an operator ends all other sessions', async () => {
    const page = await console.open('/console/me');
    await page.getByText('This session').waitFor();
    const lead = await page.getByText('You are signed in as').textContent();
    const operator = await console.api.deps.prisma.operator.findUniqueOrThrow({
      where: { name: /signed in as (.+)\.$/.exec(lead ?? '')?.[1] ?? '' },
    });
    await beginSession(console.api.deps, operator.id, { address: '192.0.2.7', userAgent: 'Firefox/140.0 Linux' });
    await page.reload();
    await page.getByRole('cell', { name: 'Firefox, Linux' }).waitFor();
    await page.getByRole('button', { name: 'End all other sessions' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End all other sessions' }).click();
    await expect.poll(() => page.getByRole('cell', { name: 'Firefox, Linux' }).count()).toBe(0);
    expect(await page.getByText('This session').count()).toBe(1);
  });
});
