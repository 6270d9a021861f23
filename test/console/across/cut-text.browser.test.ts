import { expect, it } from 'vitest';
import { findTruncatedTexts } from '../support/cut-text.js';
import { describeConsole } from '../support/describe-console.js';

/** Script that breaks a text within a word and draws a chart label that extends beyond its canvas. */
const BREAK_LAYOUT = `(() => {
  const box = document.createElement('p');
  Object.assign(box.style, { width: '40px', wordBreak: 'break-all' });
  box.textContent = 'WhatsApp 4.90';
  const canvas = document.createElement('canvas');
  document.querySelector('main').append(box, canvas);
  canvas.getContext('2d').fillText('Germany +49', -10, 20);
})()`;

describeConsole('the check for truncated texts', (console) => {
  it('the check for truncated texts finds a word broken across lines and a truncated chart label', async () => {
    const page = await console.open('overview');
    await page.getByText('No messages').first().waitFor();
    expect(await findTruncatedTexts(page)).toEqual([]);
    await page.evaluate(BREAK_LAYOUT);
    const truncated = await findTruncatedTexts(page);
    expect(truncated).toContain('a chart cuts "Germany +49"');
    expect(truncated).toContainEqual(expect.stringContaining('"WhatsApp" is broken in "WhatsApp 4.90"'));
  });
});
