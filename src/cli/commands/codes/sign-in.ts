import { type Command, InvalidArgumentError, Option } from 'commander';
import { countCodes } from '../../../features/verifications/counts-store.js';
import { isHook } from '../../../features/verifications/services/hook-proofs.js';
import {
  type CreatedService,
  changeSecret,
  createService,
  listServices,
  removeService,
} from '../../../features/verifications/services/services.js';
import { SignInServiceType } from '../../../platform/generated/prisma/client.js';
import { systemClock } from '../../../platform/system-clock.js';
import { sidOf } from '../../../platform/text/sids.js';
import { loadConfig } from '../../../process/settings/config.js';
import { addAct, addList } from '../../actions.js';
import { withChange } from '../../change.js';
import type { CliContext } from '../../context.js';
import { OF_ACCOUNT } from '../../options.js';
import { type Json, pick, print, table } from '../../output.js';
import { withStore } from '../../store.js';

interface AddOptions {
  type: SignInServiceType;
  appName: string;
  from: string;
  locale?: string;
  digits?: number;
  whatsappFrom?: string;
  template?: string;
  templateLanguage?: string;
  secret?: string;
}

/** `heliograph sign-in …`: who asks for sign-in codes by requests that do not say what they say and how they leave. */
export function addSignInCommands(program: Command, context: CliContext): void {
  const signIn = program
    .command('sign-in')
    .description("who asks for sign-in codes: hooks of login systems, and programs by Twilio's Verify API");

  signIn
    .command('add')
    .description('set one up')
    .argument('<account-id>')
    .addOption(new Option('--type <type>', 'who asks').choices(Object.values(SignInServiceType)).default('verify'))
    .requiredOption('--app-name <name>', 'what the codes are for, as their text says it')
    .requiredOption('--from <sender>', 'sender ID of the SMS')
    .option('--locale <tag>', 'language of the text, where the request names none')
    .addOption(new Option('--digits <number>', 'of a code that is made here').argParser(integer))
    .option('--whatsapp-from <number>', 'send by WhatsApp first, from the channel with this number')
    .option('--template <name>', 'the authentication template of that')
    .option('--template-language <tag>', 'its language')
    .option('--secret <secret>', 'of a hook: what its login system signs with or sends along; else one is made')
    .action(async (accountId: string, { from: sender, ...options }: AddOptions, command: Command) => {
      const made = await withChange(
        context,
        (prisma) => createService(prisma, { accountId, sender, ...options }, systemClock.now()),
        ({ service }) => ({
          action: 'service.add',
          accountId,
          subject: service.id,
          after: pick(service, 'type', 'appName', 'sender', 'whatsappFrom', 'templateId'),
        }),
      );
      printMade(context, command, made);
    });

  signIn
    .command('secret')
    .description('give a hook another secret, which is shown this once; the one before counts no more')
    .argument('<service-id>')
    .option('--secret <secret>', 'that its login system made; else one is made')
    .action(async (id: string, { secret }: { secret?: string }, command: Command) => {
      const changed = await withChange(
        context,
        (prisma) => changeSecret(prisma, id, secret),
        ({ service: { accountId, type } }) => ({ action: 'service.secret', accountId, subject: id, after: { type } }),
      );
      printMade(context, command, changed);
    });

  addList(signIn, context, {
    description: 'all of them',
    find: async (prisma, { account }: { account?: string }) =>
      (await listServices(prisma, account)).map((each) => ({
        ...pick(each, 'id', 'accountId', 'type', 'appName', 'sender', 'whatsappFrom', 'templateId'),
        path: isHook(each.type) ? `/hooks/sign-in/${each.id}` : `/v2/Services/${sidOf('VA', each.id)}`,
      })),
    columns: {
      ID: 'id',
      ACCOUNT: 'accountId',
      TYPE: 'type',
      APP: 'appName',
      FROM: 'sender',
      WHATSAPP: 'whatsappFrom',
      TEMPLATE: 'templateId',
      PATH: 'path',
    },
  }).option(...OF_ACCOUNT);

  signIn
    .command('counts')
    .description('how many codes were sent, checked and approved, by country')
    .option(...OF_ACCOUNT)
    .addOption(new Option('--days <number>', 'of the last so many days').default(7).argParser(integer))
    .action(async ({ account, days }: { account?: string; days: number }, command: Command) => {
      const found = await withStore(context, (_prisma, pool) =>
        countCodes(pool, { accountId: account ?? null, now: systemClock.now(), days }),
      );
      const cells = found.map((each) => [
        `+${each.callingCode}`,
        String(each.codes),
        String(each.sent),
        String(each.checked),
        String(each.approved),
        each.codes === 0 ? '-' : `${Math.round((100 * each.approved) / each.codes)} %`,
        String(each.passedOn),
      ]);
      const heading = ['COUNTRY', 'CODES', 'SENT', 'CHECKED', 'APPROVED', 'CONVERTED', 'PASSED ON'];
      const readable = found.length === 0 ? 'No code was sent.' : table(heading, cells);
      print(context, command, found as object[] as Json[], readable);
    });

  addAct(signIn, context, 'remove', {
    what: 'Service',
    description: 'end one; codes that are on their way still arrive',
    perform: removeService,
  });
}

function printMade(context: CliContext, command: Command, { service, secret }: CreatedService): void {
  const shown = pick(service, 'id', 'accountId', 'type', 'appName', 'sender');
  if (!isHook(service.type)) {
    const serviceSid = sidOf('VA', service.id);
    const told = `Service ${service.id} was made. For Twilio's SDKs it is the Verify service ${serviceSid}.`;
    print(context, command, { ...shown, serviceSid }, told);
    return;
  }
  const url = `${loadConfig(context.env).consoleUrl ?? ''}/hooks/sign-in/${service.id}`;
  const said =
    secret === null
      ? `It takes nothing before it has the secret that ${service.type} makes: heliograph sign-in secret ${service.id} --secret …`
      : `Its secret is shown this once:\n${secret}`;
  print(context, command, { ...shown, url, secret }, `Hook ${service.id}: ${service.type} calls\n${url}\n${said}`);
}

function integer(text: string): number {
  if (!/^\d{1,3}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
