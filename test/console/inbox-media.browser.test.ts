import { beforeAll, expect, it } from 'vitest';
import { createTestChannel, type TestChannel } from '../support/channels.js';
import { createTestOperator } from '../support/operators.js';
import { checkAccessible } from './support/check-accessible.js';
import { describeConsole } from './support/describe-console.js';

const ANN = '15005550121';

describeConsole('files in the inbox', (console) => {
  let channel: TestChannel;

  beforeAll(async () => {
    channel = await createTestChannel(console.api.deps, console.account);
    const { ask } = await createTestOperator(console.api);
    const path = `/accounts/${channel.account.id}/channels/${channel.channelId}/simulator/inbound`;
    const files = [
      ['image', { id: '1', mime_type: 'image/png', caption: 'The box' }],
      ['document', { id: '2', mime_type: 'application/pdf', filename: 'invoice.pdf' }],
    ] as const;
    for (const [type, payload] of files) {
      const answer = await ask('POST', path, { from: ANN, type, payload });
      expect(answer.statusCode, answer.body).toBe(200);
    }
    await console.api.deps.prisma.contact.updateMany({ where: { phone: ANN }, data: { name: 'Ann Lighthouse' } });
  });

  it('of somebody unknown nothing is loaded before a click; whoever was answered shows pictures at once', async () => {
    const page = await console.open('inbox');
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/media/')) asked.push(request.url());
    });
    await page.getByRole('link', { name: /Ann Lighthouse/ }).click();
    const history = page.getByRole('list', { name: 'Messages' });
    await history.getByText('The box').waitFor();
    await checkAccessible(page);
    expect(asked).toEqual([]);
    const shown = () =>
      history.getByRole('img', { name: 'Picture' }).evaluate((image) => Number(Reflect.get(image, 'naturalWidth')));
    await history.getByRole('button', { name: 'Show: Picture' }).click();
    await expect.poll(shown).toBeGreaterThan(0);
    expect(asked).toHaveLength(1);
    await checkAccessible(page);

    const saving = page.waitForEvent('download');
    await history.getByRole('link', { name: 'Save invoice.pdf' }).click();
    // It is a picture, as the simulator has nothing else; its name is what the contact gave it.
    expect((await saving).suggestedFilename()).toMatch(/^invoice/);

    // Whoever was written to is known.
    const answer = await console.api.app.inject({
      method: 'POST',
      url: '/api/v1/messages/send',
      headers: channel.headers,
      payload: { to: ANN, type: 'audio', audio: { link: 'https://nobody.invalid/a.ogg' } },
    });
    expect(answer.statusCode, answer.body).toBe(200);
    await page.reload();
    await expect.poll(shown).toBeGreaterThan(0);
    expect(await history.getByRole('button', { name: 'Show: Picture' }).count()).toBe(0);
  });
});
