import { type Command, Option } from 'commander';
import { isUserId } from '../../../carriers/numbers/user-ids.js';
import type { OptOutPerson } from '../../../features/opt-outs/addresses.js';
import {
  addOptOut,
  auditedPerson,
  listOptOuts,
  type OptOutRef,
  removeOptOut,
  shownPerson,
} from '../../../features/opt-outs/opt-outs.js';
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

/** `heliograph opt-out …`: who wants no more messages from whom. */
export function addOptOutCommands(program: Command, context: CliContext): void {
  const optOut = program.command('opt-out').description('who wants no more messages from a sender');

  addList(optOut, context, {
    description: 'all opt-outs of an account',
    find: async (prisma, { account }: { account: string }) =>
      (await listOptOuts(prisma, account)).map((each) => ({
        ...pick(each, 'kind', 'sender', 'phone', 'keyword'),
        createdAt: each.decidedAt.toISOString(),
      })),
    columns: { KIND: 'kind', SENDER: 'sender', PERSON: 'phone', WORD: 'keyword', SINCE: 'createdAt' },
  }).requiredOption('--account <account-id>', 'whose senders they are');

  /** A command that changes whether a number is blocked for a sender. */
  const changing = (
    name: 'add' | 'remove',
    description: string,
    change: typeof addOptOut,
    said: (ref: OptOutRef) => string,
  ) =>
    withRef(optOut.command(name).description(description)).action(
      async (person: string, { account: accountId, kind, sender }: RefOptions, command: Command) => {
        const ref = { accountId, kind, sender, ...personIn(person) };
        await withChange(
          context,
          (prisma) => change(prisma, { ...ref, at: systemClock.now() }),
          (changed) =>
            changed
              ? { action: `opt-out.${name}`, accountId, subject: auditedPerson(ref), after: { kind, sender } }
              : null,
        );
        print(context, command, ref, said(ref));
      },
    );

  changing(
    'add',
    'block a person for a sender, as their STOP would',
    addOptOut,
    (ref) => `${shownPerson(ref)} gets no more messages from ${ref.sender}.`,
  );
  changing(
    'remove',
    'let a sender write to a person again, as their START would',
    removeOptOut,
    (ref) => `${shownPerson(ref)} may get messages from ${ref.sender} again.`,
  );
}

function personIn(text: string): OptOutPerson {
  if (isUserId(text)) return { userId: text };
  return isUuid(text) ? { contactId: text.toLowerCase() } : { phone: text };
}

function withRef(command: Command): Command {
  return command
    .argument('<person>', 'digits with country code, a user id of WhatsApp, or the id of a contact')
    .requiredOption('--account <account-id>', 'whose sender it is')
    .requiredOption('--sender <sender>', 'sender ID of SMS, or the number of a WhatsApp channel')
    .addOption(new Option('--kind <kind>', 'what is blocked').choices(['sms', 'whatsapp']).default('sms'));
}
