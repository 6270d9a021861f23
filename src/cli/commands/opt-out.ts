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

  /** A command that changes whether a number is blocked for a sender. */
  const changing = (
    name: 'add' | 'remove',
    description: string,
    change: typeof addOptOut,
    said: (ref: OptOutRef) => string,
  ) =>
    withRef(optOut.command(name).description(description)).action(
      async (phone: string, { account: accountId, kind, sender }: RefOptions, command: Command) => {
        const ref = { accountId, kind, sender, phone };
        await withChange(
          context,
          (prisma) => change(prisma, { ...ref, at: systemClock.now() }),
          (changed) =>
            changed ? { action: `opt-out.${name}`, accountId, subject: phone, after: { kind, sender } } : null,
        );
        print(context, command, ref, said(ref));
      },
    );

  changing(
    'add',
    'block a number for a sender, as its STOP would',
    addOptOut,
    ({ phone, sender }) => `${phone} gets no more messages from ${sender}.`,
  );
  changing(
    'remove',
    'let a sender write to a number again, as its START would',
    removeOptOut,
    ({ phone, sender }) => `${phone} may get messages from ${sender} again.`,
  );
}

function withRef(command: Command): Command {
  return command
    .argument('<phone>', 'digits with country code')
    .requiredOption('--account <account-id>', 'whose sender it is')
    .requiredOption('--sender <sender>', 'sender ID of SMS, or the number of a WhatsApp channel')
    .addOption(new Option('--kind <kind>', 'what is blocked').choices(['sms', 'whatsapp']).default('sms'));
}
