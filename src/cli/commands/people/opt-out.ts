import { type Command, Option } from 'commander';
import { isUserId } from '../../../carriers/numbers/user-ids.js';
import type { OptOutPerson } from '../../../features/opt-outs/addresses.js';
import { setOptOutByOperator } from '../../../features/opt-outs/by-operator.js';
import { describePerson, listOptOuts, type OptOutRef, toAuditSubject } from '../../../features/opt-outs/opt-outs.js';
import { isUuid } from '../../../platform/ids.js';
import { systemClock } from '../../../platform/system-clock.js';
import { addList } from '../../actions.js';
import { withChange } from '../../change.js';
import type { CliContext } from '../../context.js';
import { pick, print } from '../../output.js';

interface RefOptions {
  account: string;
  kind: 'sms' | 'whatsapp';
  sender: string;
}

export function addOptOutCommands(program: Command, context: CliContext): void {
  const optOut = program.command('opt-out').description('people who receive no messages from a sender');

  addList(optOut, context, {
    description: 'list all opt-outs of an account',
    find: async (prisma, { account }: { account: string }) =>
      (await listOptOuts(prisma, account)).map((row) => ({
        ...pick(row, 'kind', 'sender', 'phone', 'keyword'),
        scope: row.marketingOnly ? 'marketing' : 'all',
        createdAt: row.decidedAt.toISOString(),
      })),
    columns: { KIND: 'kind', SENDER: 'sender', PERSON: 'phone', BLOCKS: 'scope', WORD: 'keyword', SINCE: 'createdAt' },
  }).requiredOption('--account <account-id>', 'the account that owns the senders');

  const addChangeCommand = (name: 'add' | 'remove', description: string, describe: (ref: OptOutRef) => string) =>
    addPersonOptions(optOut.command(name).description(description)).action(
      async (person: string, { account: accountId, kind, sender }: RefOptions, command: Command) => {
        const ref = { accountId, kind, sender, ...parsePerson(person) };
        await withChange(
          context,
          (prisma, client) =>
            setOptOutByOperator({ prisma, client }, name === 'add', { ...ref, at: systemClock.now() }),
          (hasChanged) =>
            hasChanged
              ? { action: `opt-out.${name}`, accountId, subject: toAuditSubject(ref), after: { kind, sender } }
              : null,
        );
        print(context, command, ref, describe(ref));
      },
    );

  addChangeCommand(
    'add',
    'opt a person out of a sender, as if they had sent STOP',
    (ref) => `${describePerson(ref)} no longer receives messages from ${ref.sender}.`,
  );
  addChangeCommand(
    'remove',
    'opt a person back in to a sender, as if they had sent START',
    (ref) => `${describePerson(ref)} can receive messages from ${ref.sender} again.`,
  );
}

function parsePerson(text: string): OptOutPerson {
  if (isUserId(text)) return { userId: text };
  return isUuid(text) ? { contactId: text.toLowerCase() } : { phone: text };
}

function addPersonOptions(command: Command): Command {
  return command
    .argument('<person>', 'digits with country code, a WhatsApp user ID, or a contact ID')
    .requiredOption('--account <account-id>', 'the account that owns the sender')
    .requiredOption('--sender <sender>', 'SMS sender ID, or the number of a WhatsApp channel')
    .addOption(new Option('--kind <kind>', 'kind of messages').choices(['sms', 'whatsapp']).default('sms'));
}
