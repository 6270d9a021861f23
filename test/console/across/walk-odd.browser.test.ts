import { expect, it } from 'vitest';
import { expectProblems } from '../support/page-problems.js';
import { describeWalk, lookAt } from '../support/walk.js';

describeWalk('odd', (console) => {
  it('is refused to strangers, who are asked to sign in', async () => {
    const page = await console.open('/console/sign-in', null);
    // The question who is signed in has no other answer.
    expectProblems(page, /status of 401/);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const wrong: string[] = [];
    await lookAt(page, 'sign-in', (problem) => wrong.push(problem));
    expect(wrong).toEqual([]);
  });
});
