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
import { toSid } from '../../../platform/text/sids.js';
import { loadConfig } from '../../../process/settings/config.js';
import { addList, addRemoval } from '../../actions.js';
import { withChange } from '../../change.js';
import type { CliContext } from '../../context.js';
import { ACCOUNT_FILTER } from '../../options.js';
import { formatTable, type Json, pick, print } from '../../output.js';
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

export function addSignInCommands(program: Command, context: CliContext): void {
  const signIn = program
    .command('sign-in')
    .description("services that request sign-in codes: hooks of login systems, and clients of Twilio's Verify API");

  signIn
    .command('add')
    .description('add a service')
    .argument('<account-id>')
    .addOption(
      new Option('--type <type>', 'type of the service').choices(Object.values(SignInServiceType)).default('verify'),
    )
    .requiredOption('--app-name <name>', 'name of the app in the message text')
    .requiredOption('--from <sender>', 'sender ID of the SMS')
    .option('--locale <tag>', 'language of the text if the request does not set one')
    .addOption(new Option('--digits <number>', 'number of digits of generated codes').argParser(parseInteger))
    .option('--whatsapp-from <number>', 'send by WhatsApp first, from the channel with this number')
    .option('--template <name>', 'authentication template for WhatsApp')
    .option('--template-language <tag>', 'language of the template')
    .option(
      '--secret <secret>',
      'secret that the login system of a hook signs with or sends; default: a new one is generated',
    )
    .action(async (accountId: string, { from: sender, ...options }: AddOptions, command: Command) => {
      const created = await withChange(
        context,
        (prisma) => createService(prisma, { accountId, sender, ...options }, systemClock.now()),
        ({ service }) => ({
          action: 'service.add',
          accountId,
          subject: service.id,
          after: pick(service, 'type', 'appName', 'sender', 'whatsappFrom', 'templateId'),
        }),
      );
      printService(context, command, created);
    });

  signIn
    .command('secret')
    .description('replace the secret of a hook; it is shown only once, and the old one stops working')
    .argument('<service-id>')
    .option('--secret <secret>', 'secret from the login system; default: a new one is generated')
    .action(async (id: string, { secret }: { secret?: string }, command: Command) => {
      const service = await withChange(
        context,
        (prisma) => changeSecret(prisma, id, secret),
        ({ service: { accountId, type } }) => ({ action: 'service.secret', accountId, subject: id, after: { type } }),
      );
      printService(context, command, service);
    });

  addList(signIn, context, {
    description: 'list all services',
    find: async (prisma, { account }: { account?: string }) =>
      (await listServices(prisma, account)).map((service) => ({
        ...pick(service, 'id', 'accountId', 'type', 'appName', 'sender', 'whatsappFrom', 'templateId'),
        path: isHook(service.type) ? `/hooks/sign-in/${service.id}` : `/v2/Services/${toSid('VA', service.id)}`,
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
  }).option(...ACCOUNT_FILTER);

  signIn
    .command('counts')
    .description('count sent, checked and approved codes by country')
    .option(...ACCOUNT_FILTER)
    .addOption(new Option('--days <number>', 'number of past days to count').default(7).argParser(parseInteger))
    .action(async ({ account, days }: { account?: string; days: number }, command: Command) => {
      const counts = await withStore(context, (_prisma, pool) =>
        countCodes(pool, { accountId: account ?? null, now: systemClock.now(), days }),
      );
      const cells = counts.map((row) => [
        `+${row.callingCode}`,
        String(row.codes),
        String(row.sent),
        String(row.checked),
        String(row.approved),
        row.codes === 0 ? '-' : `${Math.round((100 * row.approved) / row.codes)} %`,
        String(row.passedOn),
      ]);
      const heading = ['COUNTRY', 'CODES', 'SENT', 'CHECKED', 'APPROVED', 'CONVERTED', 'PASSED ON'];
      const readable = counts.length === 0 ? 'No codes were sent.' : formatTable(heading, cells);
      print(context, command, counts as object[] as Json[], readable);
    });

  addRemoval(signIn, context, 'remove', {
    noun: 'Service',
    description: 'remove a service; codes already sent still arrive',
    perform: removeService,
  });
}

function printService(context: CliContext, command: Command, { service, secret }: CreatedService): void {
  const output = pick(service, 'id', 'accountId', 'type', 'appName', 'sender');
  if (!isHook(service.type)) {
    const serviceSid = toSid('VA', service.id);
    const text = `Created service ${service.id}. In Twilio's SDKs it is the Verify service ${serviceSid}.`;
    print(context, command, { ...output, serviceSid }, text);
    return;
  }
  const url = `${loadConfig(context.env).consoleUrl ?? ''}/hooks/sign-in/${service.id}`;
  const secretText =
    secret === null
      ? `It works only after you set the secret that ${service.type} generates: heliograph sign-in secret ${service.id} --secret …`
      : `Its secret is shown only once:\n${secret}`;
  print(
    context,
    command,
    { ...output, url, secret },
    `Hook ${service.id}: ${service.type} calls\n${url}\n${secretText}`,
  );
}

function parseInteger(text: string): number {
  if (!/^\d{1,3}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
