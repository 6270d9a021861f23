import { type Command, InvalidArgumentError, Option } from 'commander';
import { createService, listServices, removeService } from '../../../features/verifications/services/services.js';
import { SignInServiceType } from '../../../platform/generated/prisma/client.js';
import { systemClock } from '../../../platform/system-clock.js';
import { sidOf } from '../../../platform/text/sids.js';
import { addAct, addList } from '../../actions.js';
import { withChange } from '../../change.js';
import type { CliContext } from '../../context.js';
import { OF_ACCOUNT } from '../../options.js';
import { pick, print } from '../../output.js';

interface AddOptions {
  type: SignInServiceType;
  appName: string;
  from: string;
  locale?: string;
  digits?: number;
  whatsappFrom?: string;
  template?: string;
  templateLanguage?: string;
}

/** `heliograph sign-in …`: who asks for sign-in codes by requests that do not say what they say and how they leave. */
export function addSignInCommands(program: Command, context: CliContext): void {
  const signIn = program.command('sign-in').description("services of sign-in codes: Twilio's Verify API");

  signIn
    .command('add')
    .description('set one up')
    .argument('<account-id>')
    .addOption(new Option('--type <type>', 'who asks').choices(TYPES).default('verify'))
    .requiredOption('--app-name <name>', 'what the codes are for, as their text says it')
    .requiredOption('--from <sender>', 'sender ID of the SMS')
    .option('--locale <tag>', 'language of the text, where the request names none')
    .addOption(new Option('--digits <number>', 'of a code that is made here').argParser(integer))
    .option('--whatsapp-from <number>', 'send by WhatsApp first, from the channel with this number')
    .option('--template <name>', 'the authentication template of that')
    .option('--template-language <tag>', 'its language')
    .action(async (accountId: string, { from: sender, ...options }: AddOptions, command: Command) => {
      const made = await withChange(
        context,
        (prisma) => createService(prisma, { accountId, sender, ...options }, systemClock.now()),
        ({ id, ...service }) => ({
          action: 'service.add',
          accountId,
          subject: id,
          after: pick(service, 'type', 'appName', 'sender', 'whatsappFrom', 'templateId'),
        }),
      );
      const { id, type, appName } = made;
      const serviceSid = sidOf('VA', id);
      print(
        context,
        command,
        { id, accountId, type, appName, sender, serviceSid },
        `Service ${id} was made. For Twilio's SDKs it is the Verify service ${serviceSid}.`,
      );
    });

  addList(signIn, context, {
    description: 'all of them',
    find: async (prisma, { account }: { account?: string }) =>
      (await listServices(prisma, account)).map((each) => ({
        ...pick(each, 'id', 'accountId', 'type', 'appName', 'sender', 'whatsappFrom', 'templateId'),
        serviceSid: sidOf('VA', each.id),
      })),
    columns: {
      ID: 'id',
      ACCOUNT: 'accountId',
      TYPE: 'type',
      APP: 'appName',
      FROM: 'sender',
      WHATSAPP: 'whatsappFrom',
      TEMPLATE: 'templateId',
    },
  }).option(...OF_ACCOUNT);

  addAct(signIn, context, 'remove', {
    what: 'Service',
    description: 'end one; codes that are on their way still arrive',
    perform: removeService,
  });
}

const TYPES = Object.values(SignInServiceType).filter((type) => type === 'verify');

function integer(text: string): number {
  if (!/^\d{1,3}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
