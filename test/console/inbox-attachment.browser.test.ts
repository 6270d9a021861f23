import { beforeAll, expect, it } from 'vitest';
import { playInbound } from '../support/channel-calls.js';
import { createTestChannel, type TestChannel } from '../support/channels.js';
import { fileOf } from '../support/media/files.js';
import { checkAccessible } from './support/check-accessible.js';
import { describeConsole } from './support/describe-console.js';
import { expectProblems } from './support/page-problems.js';

/** A picture of one point, which browsers can show. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describeConsole('a file beside a reply', (console) => {
  let channel: TestChannel;
  const open = async () => {
    const page = await console.open('inbox');
    await page.getByRole('link', { name: /Ann Attached/ }).click();
    const file = page.locator('form input[type=file]');
    return {
      page,
      beside: page.getByRole('group', { name: 'File beside the reply' }),
      send: page.getByRole('button', { name: 'Send', exact: true }),
      history: page.getByRole('list', { name: 'Messages' }),
      choose: (name: string, mimeType: string, buffer: Buffer) => file.setInputFiles({ name, mimeType, buffer }),
      chosen: () => file.inputValue(),
      write: (text: string) => page.getByRole('textbox', { name: 'Write a reply' }).fill(text),
    };
  };
  const media = () => console.api.deps.prisma.media.count({ where: { channelId: channel.channelId, status: 'kept' } });

  beforeAll(async () => {
    channel = await createTestChannel(console.api.deps, console.account);
    await playInbound(console.api, channel, { from: '15005550151', text: 'Have you a picture?' });
    await console.api.deps.prisma.contact.updateMany({
      where: { phone: '15005550151' },
      data: { name: 'Ann Attached' },
    });
  });

  it('goes to the server with its progress, and to the contact with its caption', async () => {
    const { page, beside, send, history, choose, chosen, write } = await open();
    // Held back, so that what is shown meanwhile can be seen.
    let letGo: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route('**/media', async (route) => {
      await held;
      await route.continue();
    });
    await choose('box.png', 'image/png', PIXEL);
    await beside.getByRole('progressbar', { name: 'Sent to the server' }).waitFor({ state: 'attached' });
    await write('The box');
    expect(await send.isDisabled()).toBe(true);
    await checkAccessible(page, 'inbox-attaching');
    letGo();
    await beside.getByText('Picture ·').waitFor();
    // Otherwise the same file could not be chosen again.
    expect(await chosen()).toBe('');
    await checkAccessible(page, 'inbox-attached');
    await send.click();
    await beside.waitFor({ state: 'detached' });
    const bubble = history.getByRole('listitem').filter({ hasText: 'The box' });
    await expect
      .poll(() =>
        bubble.getByRole('img', { name: 'Picture' }).evaluate((image) => Number(Reflect.get(image, 'naturalWidth'))),
      )
      .toBe(1);
    expect(await page.getByRole('textbox', { name: 'Write a reply' }).inputValue()).toBe('');
    await checkAccessible(page, 'inbox-sent-file');
  });

  it('that is refused says why, keeps the text, and is not left out in silence', async () => {
    const { page, beside, send, choose, write } = await open();
    const before = await media();
    await write('Look at this');
    expectProblems(page, /status of 400/);
    await choose('program.exe', 'application/octet-stream', Buffer.from('MZ\0\x01\x02\x03', 'latin1'));
    await beside.getByRole('alert').filter({ hasText: 'a type that WhatsApp does not accept' }).waitFor();
    await checkAccessible(page, 'inbox-file-refused');
    expect(await send.isDisabled()).toBe(true);
    expectProblems(page, /status of 413/);
    await choose('large.png', 'image/png', fileOf('image/png', 5 * 1024 * 1024 + 1));
    await beside.getByText(/5 MB/).first().waitFor();
    await beside.getByRole('button', { name: 'Take the file away' }).click();
    await beside.waitFor({ state: 'detached' });
    expect(await page.getByRole('textbox', { name: 'Write a reply' }).inputValue()).toBe('Look at this');
    expect(await send.isEnabled()).toBe(true);
    expect(await media()).toBe(before);
    await write('');
  });

  it('without a caption of its own leaves the text for another message', async () => {
    const { page, beside, send, history, choose, write } = await open();
    await write('This is our song');
    await choose('song.ogg', 'audio/ogg', fileOf('audio/ogg'));
    await beside.getByText('WhatsApp shows no text with it', { exact: false }).waitFor();
    const sounds = history.locator('audio');
    await send.click();
    await beside.waitFor({ state: 'detached' });
    await sounds.first().waitFor({ state: 'attached' });
    expect(await page.getByRole('textbox', { name: 'Write a reply' }).inputValue()).toBe('This is our song');
    await send.click();
    await history.getByText('This is our song').waitFor();
  });
});
