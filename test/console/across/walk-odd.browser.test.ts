import { expect, it } from 'vitest';
import { expectProblems } from '../support/page-problems.js';
import { checkPage, describeWalk } from '../support/walk.js';

describeWalk('odd', (console) => {
  it('the sign-in page is accessible', async () => {
    const page = await console.open('/console/sign-in', null);
    // Until someone signs in, the server answers the page's session query with 401.
    expectProblems(page, /status of 401/);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const problems: string[] = [];
    await checkPage(page, 'sign-in', (problem) => problems.push(problem));
    expect(problems).toEqual([]);
  });
});
