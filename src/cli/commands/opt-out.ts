import { type Command, Option } from 'commander';
import { addOptOut, listOptOuts, type OptOutRef, removeOptOut } from '../../features/opt-outs/opt-outs.js';
import { systemClock } from '../../platform/system-clock.js';
import { addList } from '../actions.js';
import { withChange } from '../change.js';
import type { CliContext } from '../context.js';
import { pick, print } from '../output.js';

interface RefOptions {
  account: string;
  kind: 'sms' | 'whatsapp';
  sender: string;
}

/** `heliograph opt-out …`: who wants no more messages from whom. */
export function addOptOutCommands(program: Command, context: CliContext): void {
  const optOut = program.command('opt-out').description('numbers that want no more messages from a sender');

  addList(optOut, context, {
    description: 'all opt-outs of an account',
    find: async (prisma, { account }: { account: string }) =>
      (await listOptOuts(prisma, account)).map((each) => ({
        ...pick(each, 'kind', 'sender', 'phone', 'keyword'),
        createdAt: each.decidedAt.toISOString(),
      })),
    columns: { KIND: 'kind', SENDER: 'sender', NUMBER: 'phone', WORD: 'keyword', SINCE: 'createdAt' },
  }).requiredOption('--account <account-id>', 'whose senders they are');

  withRef(optOut.command('add').description('block a number for a sender, as its STOP would')).action(
    async (phone: string, options: RefOptions, command: Command) => {
      const ref = refOf(phone, options);
      await withChange(
        context,
        (prisma) => addOptOut(prisma, { ...ref, at: systemClock.now() }),
        (isNew) =>
          isNew
            ? {
                action: 'opt-out.add',
                accountId: ref.accountId,
                subject: phone,
                after: { kind: ref.kind, sender: ref.sender },
              }
            : null,
      );
      print(context, command, { ...ref }, `${phone} gets no more messages from ${ref.sender}.`);
    },
  );

  withRef(optOut.command('remove').description('let a sender write to a number again, as its START would')).action(
    async (phone: string, options: RefOptions, command: Command) => {
      const ref = refOf(phone, options);
      await withChange(
        context,
        (prisma) => removeOptOut(prisma, { ...ref, at: systemClock.now() }),
        () => ({
          action: 'opt-out.remove',
          accountId: ref.accountId,
          subject: phone,
          after: { kind: ref.kind, sender: ref.sender },
        }),
      );
      print(context, command, { ...ref }, `${phone} may get messages from ${ref.sender} again.`);
    },
  );
}

function withRef(command: Command): Command {
  return command
    .argument('<phone>', 'digits with country code')
    .requiredOption('--account <account-id>', 'whose sender it is')
    .requiredOption('--sender <sender>', 'sender ID of SMS, or the number of a WhatsApp channel')
    .addOption(new Option('--kind <kind>', 'what is blocked').choices(['sms', 'whatsapp']).default('sms'));
}

function refOf(phone: string, { account: accountId, kind, sender }: RefOptions): OptOutRef {
  return { accountId, kind, sender, phone };
}
