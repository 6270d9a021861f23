import { beforeAll, describe, expect, it } from 'vitest';
import { commandsOnTestStore } from './run.js';

const { cli, json, createAccount } = commandsOnTestStore();
let account: string;
const PHONE = '15005550111';

beforeAll(async () => {
  account = await createAccount('Owner');
  await cli('channel', 'create', '--account', account, '--name', 'Main', '--phone', '15005550100');
});

const change = (action: string, phone: string, ...options: string[]) =>
  cli('opt-out', action, phone, '--account', account, ...options);
const list = () => json<{ kind: string; sender: string; phone: string }[]>('opt-out', 'list', '--account', account);

describe('heliograph opt-out', () => {
  it('add blocks a number for a sender, list shows it, and remove unblocks it', async () => {
    expect(await change('add', `+${PHONE}`, '--sender', '+1 (500) 555-0199')).toMatchObject({
      code: 0,
      stdout: `+${PHONE} no longer receives messages from +1 (500) 555-0199.\n`,
    });
    expect(await change('add', PHONE, '--sender', '15005550199')).toMatchObject({ code: 0 });
    expect(await change('add', PHONE, '--sender', '15005550100', '--kind', 'whatsapp')).toMatchObject({ code: 0 });
    expect(await list()).toEqual([
      { kind: 'sms', sender: '15005550199', phone: PHONE, keyword: null, scope: 'all', createdAt: expect.any(String) },
      {
        kind: 'whatsapp',
        sender: '15005550100',
        phone: PHONE,
        keyword: null,
        scope: 'all',
        createdAt: expect.any(String),
      },
    ]);
    const { stdout } = await cli('opt-out', 'list', '--account', account);
    expect(stdout).toMatch(/^KIND +SENDER +PERSON +BLOCKS +WORD +SINCE\nsms +15005550199 +15005550111 /);
    const removal = await change('remove', PHONE, '--sender', '15005550199');
    expect(removal.stdout).toBe(`${PHONE} can receive messages from 15005550199 again.\n`);
    expect(await list()).toMatchObject([{ kind: 'whatsapp' }]);
  });

  it('add accepts a WhatsApp user ID, but not for SMS', async () => {
    const userId = 'US.13491208655302741918';
    const channelOptions = ['--sender', '15005550100', '--kind', 'whatsapp'];
    const addition = await change('add', userId, ...channelOptions);
    expect(addition.stdout).toBe(`${userId} no longer receives messages from 15005550100.\n`);
    expect((await list()).map(({ phone }) => phone)).toContain(userId);
    expect(await change('remove', userId, ...channelOptions)).toMatchObject({ code: 0 });
    expect((await list()).map(({ phone }) => phone)).not.toContain(userId);
    expect(await change('add', userId, '--sender', 'Shop')).toMatchObject({
      code: 1,
      stderr: 'userId cannot be used with an SMS sender: it is a WhatsApp user ID\n',
    });
    const unknownId = '01900000-0000-7000-8000-000000000000';
    expect(await change('add', unknownId, ...channelOptions)).toMatchObject({
      code: 1,
      stderr: 'No contact has this contactId.\n',
    });
  });

  it.each<[string[], string | RegExp]>([
    [['remove', PHONE, '--sender', 'Nobody'], `${PHONE} has not opted out of Nobody\n`],
    [['add', 'x', '--sender', 'Shop'], 'phone must be a number of at most 15 digits\n'],
    [['add', PHONE, '--sender', ' + '], 'sender must not be empty\n'],
    [['add', PHONE, '--sender', '1', '--kind', 'whatsapp'], 'the account has no WhatsApp channel with the number 1\n'],
    [['add', PHONE, '--sender', 'x', '--kind', 'fax'], /argument 'fax' is invalid/],
    [['add', PHONE], /required option '--sender <sender>'/],
  ])('rejects the invalid arguments %j', async ([action = '', phone = '', ...options], message) => {
    const result = await change(action, phone, ...options);
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
  });
});

describe('heliograph account opt-out-words', () => {
  const runWords = (action: string, ...words: string[]) => cli('account', 'opt-out-words', action, account, ...words);

  it('add, list and remove manage the words of an account', async () => {
    expect(await runWords('add', 'Arrêt!')).toMatchObject({ code: 0, stdout: '"arrêt" stops messages.\n' });
    expect(await runWords('add', 'encore', '--meaning', 'start')).toMatchObject({ code: 0 });
    expect((await runWords('list')).stdout).toBe('WORD    MEANING\narrêt   stop\nencore  start\n');
    expect(await runWords('add', 'ENCORE')).toMatchObject({ stdout: '"encore" stops messages.\n' });
    expect(await runWords('remove', 'ARRÊT')).toMatchObject({ code: 0 });
    expect(await json('account', 'opt-out-words', 'list', account)).toMatchObject([
      { word: 'encore', meaning: 'stop' },
    ]);
  });

  it.each([
    ['add', 'Start', '"start" means start in every account\n'],
    ['add', '!!!', 'word must have 1 to 100 characters, not counting punctuation and symbols\n'],
    ['add', 'x'.repeat(101), 'word must have 1 to 100 characters, not counting punctuation and symbols\n'],
    ['remove', 'never', 'the account has no keyword "never" of its own\n'],
  ])('%s rejects %s', async (action, word, stderr) => {
    expect(await runWords(action, word)).toMatchObject({ code: 1, stdout: '', stderr });
  });

  it('commands reject an unknown account', async () => {
    expect(await cli('account', 'opt-out-words', 'list', 'x')).toMatchObject({
      code: 1,
      stderr: 'there is no account x\n',
    });
    expect(await cli('opt-out', 'list', '--account', 'x')).toMatchObject({ stderr: 'there is no account x\n' });
  });
});

describe('heliograph account keyword-replies and channel keyword-replies', () => {
  it('turn replies on with own texts, and off for a channel', async () => {
    const refused = await cli('account', 'keyword-replies', account, '--on');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('contact is required') });
    const options = ['--on', '--name', 'Acme', '--contact', '1500', '--language', 'de', '--text', 'help=Call 1500'];
    const { stdout } = await cli('account', 'keyword-replies', account, ...options);
    expect(stdout).toBe('The account replies to STOP, START and HELP.\n');
    const settings = { isOn: true, name: 'Acme', contact: '1500', language: 'de', texts: { help: 'Call 1500' } };
    expect(await json('account', 'keyword-replies', account)).toEqual({ accountId: account, ...settings });
    const [channel] = await json<{ id: string }[]>('channel', 'list', '--account', account);
    const id = channel?.id as string;
    expect((await cli('channel', 'keyword-replies', id, '--off')).stdout).toBe(
      'The channel does not reply to STOP, START and HELP.\n',
    );
    await cli('channel', 'keyword-replies', id, '--follow', '--text', 'stop=Bye');
    const channelSettings = { isOn: null, name: null, contact: null, language: null, texts: { stop: 'Bye' } };
    expect(await json('channel', 'keyword-replies', id)).toEqual({ id, ...channelSettings });
    expect(await cli('account', 'keyword-replies', account, '--text', 'no=text')).toMatchObject({
      code: 1,
      stderr: '--text must be stop=, start= or help= and a text\n',
    });
  });
});
