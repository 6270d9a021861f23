import { type Command, Option } from 'commander';
import type { OptOutMeaning } from '../../../features/opt-outs/keywords.js';
import {
  findOptOutWord,
  listOptOutWords,
  removeOptOutWord,
  setOptOutWord,
} from '../../../features/opt-outs/opt-outs.js';
import { addList } from '../../actions.js';
import { withChange } from '../../change.js';
import type { CliContext } from '../../context.js';
import { pick, print } from '../../output.js';

/** `heliograph account opt-out-words …`: words of an account beside STOP, START and the like. */
export function addOptOutWordCommands(account: Command, context: CliContext): void {
  const words = account
    .command('opt-out-words')
    .description('further words, in any language, by which recipients opt out and in again');

  addList(words, context, {
    description: "an account's own words; STOP, START and the like hold for all",
    find: async (prisma, _options, [accountId = '']) =>
      (await listOptOutWords(prisma, accountId)).map((each) => ({
        ...pick(each, 'word', 'meaning'),
        createdAt: each.createdAt.toISOString(),
      })),
    columns: { WORD: 'word', MEANING: 'meaning' },
  }).argument('<account-id>');

  words
    .command('add')
    .description('let a word stop messages; case and punctuation do not matter')
    .argument('<account-id>')
    .argument('<word>', 'such as arrêt')
    .addOption(new Option('--meaning <meaning>', 'what it does').choices(['stop', 'start']).default('stop'))
    .action(async (accountId: string, text: string, { meaning }: { meaning: OptOutMeaning }, command: Command) => {
      const { word } = await withChange(
        context,
        (prisma) => setOptOutWord(prisma, { accountId, word: text, meaning }),
        ({ was, word: subject }) => {
          const before = was && { meaning: was };
          if (was === meaning) return null;
          return { action: 'opt-out-word.set', accountId, subject, before, after: { meaning } };
        },
      );
      const what = meaning === 'stop' ? 'stops messages' : 'starts messages again';
      print(context, command, { accountId, word, meaning }, `"${word}" ${what}.`);
    });

  words
    .command('remove')
    .description('take a word back; who has opted out by it stays so')
    .argument('<account-id>')
    .argument('<word>')
    .action(async (accountId: string, word: string, _options: object, command: Command) => {
      await withChange(
        context,
        async (prisma) => {
          const meaning = await findOptOutWord(prisma, accountId, word);
          await removeOptOutWord(prisma, accountId, word);
          return { meaning };
        },
        (before) => ({ action: 'opt-out-word.remove', accountId, subject: word, before }),
      );
      print(context, command, { accountId, word }, `"${word}" means nothing any more.`);
    });
}
