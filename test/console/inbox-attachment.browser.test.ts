import { beforeAll, expect, it } from 'vitest';
import { playInbound } from '../support/channel-calls.js';
import { createTestChannel, type TestChannel } from '../support/channels.js';
import { buildFile } from '../support/media/files.js';
import { checkAccessible } from './support/check-accessible.js';
import { describeConsole } from './support/describe-console.js';
import { expectProblems } from './support/page-problems.js';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describeConsole('attaching a file to a reply', (console) => {
  let channel: TestChannel;
  const openConversation = async () => {
    const page = await console.open('inbox');
    await page.getByRole('link', { name: /Ann Attached/ }).click();
    const file = page.locator('form input[type=file]');
    return {
      page,
      attachedFile: page.getByRole('group', { name: 'Attached file' }),
      send: page.getByRole('button', { name: 'Send', exact: true }),
      history: page.getByRole('list', { name: 'Messages' }),
      choose: (name: string, mimeType: string, buffer: Buffer) => file.setInputFiles({ name, mimeType, buffer }),
      readChosenFile: () => file.inputValue(),
      write: (text: string) => page.getByRole('textbox', { name: 'Write a reply' }).fill(text),
    };
  };
  const countStored = () =>
    console.api.deps.prisma.media.count({ where: { channelId: channel.channelId, status: 'kept' } });

  beforeAll(async () => {
    channel = await createTestChannel(console.api.deps, console.account);
    await playInbound(console.api, channel, { from: '15005550151', text: 'Have you a picture?' });
    await console.api.deps.prisma.contact.updateMany({
      where: { phone: '15005550151' },
      data: { name: 'Ann Attached' },
    });
  });

  it('an attached file is uploaded with a progress bar and sent with its caption', async () => {
    const { page, attachedFile, send, history, choose, readChosenFile, write } = await openConversation();
    // The test delays the upload, so that it can check the progress bar.
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/media', async (route) => {
      await gate;
      await route.continue();
    });
    await choose('box.png', 'image/png', PIXEL);
    await attachedFile.getByRole('progressbar', { name: 'Upload progress' }).waitFor({ state: 'attached' });
    await write('The box');
    expect(await send.isDisabled()).toBe(true);
    await checkAccessible(page, 'inbox-attaching');
    release();
    await attachedFile.getByText('Picture ·').waitFor();
    expect(await readChosenFile()).toBe('');
    await checkAccessible(page, 'inbox-attached');
    await send.click();
    await attachedFile.waitFor({ state: 'detached' });
    const bubble = history.getByRole('listitem').filter({ hasText: 'The box' });
    await expect
      .poll(() =>
        bubble.getByRole('img', { name: 'Picture' }).evaluate((image) => Number(Reflect.get(image, 'naturalWidth'))),
      )
      .toBe(1);
    expect(await page.getByRole('textbox', { name: 'Write a reply' }).inputValue()).toBe('');
    await checkAccessible(page, 'inbox-sent-file');
  });

  it('a refused file shows the reason, keeps the text and blocks sending until it is removed', async () => {
    const { page, attachedFile, send, choose, write } = await openConversation();
    const countBefore = await countStored();
    await write('Look at this');
    expectProblems(page, /status of 400/);
    await choose('program.exe', 'application/octet-stream', Buffer.from('MZ\0\x01\x02\x03', 'latin1'));
    await attachedFile.getByRole('alert').filter({ hasText: 'a type that WhatsApp does not accept' }).waitFor();
    await checkAccessible(page, 'inbox-file-refused');
    expect(await send.isDisabled()).toBe(true);
    expectProblems(page, /status of 413/);
    await choose('large.png', 'image/png', buildFile('image/png', 5 * 1024 * 1024 + 1));
    await attachedFile.getByText(/5 MB/).first().waitFor();
    await attachedFile.getByRole('button', { name: 'Remove file' }).click();
    await attachedFile.waitFor({ state: 'detached' });
    expect(await page.getByRole('textbox', { name: 'Write a reply' }).inputValue()).toBe('Look at this');
    expect(await send.isEnabled()).toBe(true);
    expect(await countStored()).toBe(countBefore);
    await write('');
  });

  it('a file type without captions leaves the text for the next message', async () => {
    const { page, attachedFile, send, history, choose, write } = await openConversation();
    await write('This is our song');
    await choose('song.ogg', 'audio/ogg', buildFile('audio/ogg'));
    await attachedFile.getByText('WhatsApp does not show a caption', { exact: false }).waitFor();
    const sounds = history.locator('audio');
    await send.click();
    await attachedFile.waitFor({ state: 'detached' });
    await sounds.first().waitFor({ state: 'attached' });
    expect(await page.getByRole('textbox', { name: 'Write a reply' }).inputValue()).toBe('This is our song');
    await send.click();
    await history.getByText('This is our song').waitFor();
  });
});
