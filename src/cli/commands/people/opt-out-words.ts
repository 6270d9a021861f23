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

export function addOptOutWordCommands(account: Command, context: CliContext): void {
  const words = account
    .command('opt-out-words')
    .description('additional keywords, in any language, for opting out and in');

  addList(words, context, {
    description: "list an account's own keywords; STOP, START and similar keywords apply to all accounts",
    find: async (prisma, _options, [accountId = '']) =>
      (await listOptOutWords(prisma, accountId)).map((row) => ({
        ...pick(row, 'word', 'meaning'),
        createdAt: row.createdAt.toISOString(),
      })),
    columns: { WORD: 'word', MEANING: 'meaning' },
  }).argument('<account-id>');

  words
    .command('add')
    .description('add a keyword; case and punctuation are ignored')
    .argument('<account-id>')
    .argument('<word>', 'such as arrêt')
    .addOption(new Option('--meaning <meaning>', 'effect of the keyword').choices(['stop', 'start']).default('stop'))
    .action(async (accountId: string, text: string, { meaning }: { meaning: OptOutMeaning }, command: Command) => {
      const { word } = await withChange(
        context,
        (prisma) => setOptOutWord(prisma, { accountId, word: text, meaning }),
        ({ was: previousMeaning, word: subject }) => {
          const before = previousMeaning && { meaning: previousMeaning };
          if (previousMeaning === meaning) return null;
          return { action: 'opt-out-word.set', accountId, subject, before, after: { meaning } };
        },
      );
      const effect = meaning === 'stop' ? 'stops messages' : 'starts messages again';
      print(context, command, { accountId, word, meaning }, `"${word}" ${effect}.`);
    });

  words
    .command('remove')
    .description('remove a keyword; opt-outs made with it stay')
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
      print(context, command, { accountId, word }, `Removed "${word}".`);
    });
}
