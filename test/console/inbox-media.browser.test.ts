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
      const response = await ask('POST', path, { from: ANN, type, payload });
      expect(response.statusCode, response.body).toBe(200);
    }
    await console.api.deps.prisma.contact.updateMany({ where: { phone: ANN }, data: { name: 'Ann Lighthouse' } });
  });

  it('files of unknown contacts load only after a click, pictures of contacts we wrote to load immediately', async () => {
    const page = await console.open('inbox');
    const requests: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/media/')) requests.push(request.url());
    });
    await page.getByRole('link', { name: /Ann Lighthouse/ }).click();
    const history = page.getByRole('list', { name: 'Messages' });
    await history.getByText('The box').waitFor();
    await checkAccessible(page);
    expect(requests).toEqual([]);
    const pictureWidth = () =>
      history.getByRole('img', { name: 'Picture' }).evaluate((image) => Number(Reflect.get(image, 'naturalWidth')));
    await history.getByRole('button', { name: 'Show: Picture' }).click();
    await expect.poll(pictureWidth).toBeGreaterThan(0);
    expect(requests).toHaveLength(1);
    await checkAccessible(page);

    const download = page.waitForEvent('download');
    await history.getByRole('link', { name: 'Save invoice.pdf' }).click();
    // The simulator stores every file as a picture, so the test can check only the file's name.
    expect((await download).suggestedFilename()).toMatch(/^invoice/);

    const response = await console.api.app.inject({
      method: 'POST',
      url: '/api/v1/messages/send',
      headers: channel.headers,
      payload: { to: ANN, type: 'audio', audio: { link: 'https://nobody.invalid/a.ogg' } },
    });
    expect(response.statusCode, response.body).toBe(200);
    await page.reload();
    await expect.poll(pictureWidth).toBeGreaterThan(0);
    expect(await history.getByRole('button', { name: 'Show: Picture' }).count()).toBe(0);
  });
});
