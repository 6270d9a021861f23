import { type Command, Option } from 'commander';
import { lockAccount } from '../../../accounts/accounts.js';
import { diffForAudit } from '../../../accounts/audit/diff.js';
import { findAndLockChannel } from '../../../features/channels/channels.js';
import {
  type ChannelRepliesChange,
  changeAccountReplies,
  changeChannelReplies,
} from '../../../features/keyword-replies/change-settings.js';
import { REPLY_LANGUAGES } from '../../../features/keyword-replies/texts.js';
import { KEYWORD_MEANINGS, type KeywordMeaning } from '../../../features/opt-outs/message-keyword.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import { withChange } from '../../change.js';
import type { CliContext } from '../../context.js';
import { addSwitch, collect, readSwitch, type Switch } from '../../options.js';
import { print } from '../../output.js';

interface ReplyOptions extends Switch {
  name?: string;
  contact?: string;
  language?: string;
  text: string[];
  follow?: boolean;
}

export function addAccountReplyCommand(account: Command, context: CliContext): void {
  const command = account
    .command('keyword-replies')
    .description('replies to STOP, START and HELP; without options, print the settings')
    .argument('<account-id>');
  addReplyOptions(addSwitch(command, { on: 'reply to keywords', off: 'send no replies' })).action(
    async (accountId: string, options: ReplyOptions, command: Command) => {
      const { after } = await withChange(
        context,
        async (prisma) => {
          await lockAccount(prisma, accountId);
          const { isOn, language, ...change } = readChange(options);
          return changeAccountReplies(prisma, accountId, {
            ...change,
            ...(typeof isOn === 'boolean' && { isOn }),
            ...(typeof language === 'string' && { language }),
          });
        },
        ({ before, after }) => {
          const line = diffForAudit('account.keywordReplies', accountId, before, after);
          return line && { ...line, accountId };
        },
      );
      const state = after.isOn ? 'replies' : 'does not reply';
      print(context, command, { accountId, ...after }, `The account ${state} to STOP, START and HELP.`);
    },
  );
}

export function addChannelReplyCommand(channel: Command, context: CliContext): void {
  const command = channel
    .command('keyword-replies')
    .description('what a channel does differently from its account; without options, print the settings')
    .argument('<channel-id>');
  addReplyOptions(
    addSwitch(command, {
      on: 'reply, even if the carrier also replies; the account must have replies on',
      off: 'send no replies',
    }),
  )
    .addOption(
      new Option('--follow', 'reply if the account does, unless the carrier replies itself').conflicts(['on', 'off']),
    )
    .action(async (id: string, options: ReplyOptions, command: Command) => {
      const { after } = await withChange(
        context,
        async (prisma) => {
          const { accountId } = await findAndLockChannel(prisma, id);
          const change = readChange(options);
          const isOn = options.follow ? null : change.isOn;
          return { accountId, ...(await changeChannelReplies(prisma, { id, accountId }, { ...change, isOn })) };
        },
        ({ accountId, before, after }) => {
          const line = diffForAudit('channel.keywordReplies', id, before, after);
          return line && { ...line, accountId };
        },
      );
      const states = { true: 'replies', false: 'does not reply', null: 'follows its account in replying' } as const;
      const state = states[`${after.isOn}`];
      print(context, command, { id, ...after }, `The channel ${state} to STOP, START and HELP.`);
    });
}

function addReplyOptions(command: Command): Command {
  return command
    .option('--name <name>', 'the sender in the default texts; off: the default name')
    .option('--contact <contact>', 'where people get help, such as a phone number or e-mail address; off: none')
    .option('--language <code>', `language of the default texts: ${REPLY_LANGUAGES.join(', ')}`)
    .option(
      '--text <keyword=text>',
      'own text, such as help=…; without a text, the default; can be repeated',
      collect,
      [],
    );
}

function readChange({ name, contact, language, text, ...state }: ReplyOptions): ChannelRepliesChange {
  return {
    isOn: readSwitch(state),
    name: name === 'off' ? null : name,
    contact: contact === 'off' ? null : contact,
    language,
    texts: Object.fromEntries(text.map(parseText)),
  };
}

function parseText(option: string): [KeywordMeaning, string | null] {
  const [keyword = '', ...rest] = option.split('=');
  const meaning = KEYWORD_MEANINGS.find((each) => each === keyword.toLowerCase());
  if (!meaning || rest.length === 0) throw invalidField('--text', 'must be stop=, start= or help= and a text');
  const text = rest.join('=');
  return [meaning, text === '' ? null : text];
}
