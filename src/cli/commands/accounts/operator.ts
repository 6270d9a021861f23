import { type Command, Option } from 'commander';
import { type Changed, changing } from '../../../accounts/audit/change.js';
import {
  addOperator,
  giveLink,
  removeOperator,
  requireOperatorId,
  resetOperator,
  switchOperator,
} from '../../../accounts/operators/changes/change.js';
import { setAccountRole, setGrants, setInstallationRole } from '../../../accounts/operators/changes/grants.js';
import { listOperators } from '../../../accounts/operators/list.js';
import { type OperatorRole, ROLES } from '../../../accounts/operators/roles/roles.js';
import { type NewLink, signInUrl } from '../../../accounts/operators/sign-in/links.js';
import { demoBaseUrl, readDemoBaseUrl } from '../../../features/demo/keys-file.js';
import type { Prisma, PrismaClient } from '../../../platform/generated/prisma/client.js';
import { readEnvironment } from '../../../platform/machine/environment.js';
import { systemClock } from '../../../platform/system-clock.js';
import { loadConfig } from '../../../process/settings/config.js';
import { addList } from '../../actions.js';
import { cliActor } from '../../change.js';
import type { CliContext } from '../../context.js';
import { addSwitch, type Switch, wantedState } from '../../options.js';
import { pick, print } from '../../output.js';
import { withStore } from '../../store.js';

const MOST = 1000;

interface RoleOptions {
  role: OperatorRole;
  account?: string;
}

interface RoleChange extends RoleOptions {
  none?: boolean;
  all?: boolean;
}

/** Where a role is, in words. */
function nameOf(accountId: string | null): string {
  return accountId === null ? 'the installation' : `the account ${accountId}`;
}

/** `heliograph operator …`: who signs in at the console. Each change writes its own line of the audit log. */
export function addOperatorCommands(program: Command, context: CliContext): void {
  const operator = program.command('operator').description('people who sign in at the console, and their roles');
  const by = 'command line';

  /** Makes a change in a transaction, with its lines of the audit log. */
  const change = <T>(prisma: PrismaClient, work: (transaction: Prisma.TransactionClient) => Promise<Changed<T>>) =>
    changing({ prisma }, { actor: cliActor(), accountId: null }, (inHand) => work(inHand.prisma));

  /** Prints a link, which is shown this once. */
  async function tell(command: Command, name: string, { token, expiresAt }: NewLink, said: string): Promise<void> {
    const url = signInUrl(await addressOfConsole(context), token);
    const until = expiresAt.toISOString();
    const text = `${said} This link signs them in once, until ${until}; it is shown this once:\n${url}`;
    print(context, command, { name, signInUrl: url, expiresAt: until }, text);
  }

  /** A command about one operator, by their name. */
  function about<T>(
    name: string,
    work: (prisma: Prisma.TransactionClient, operatorId: string) => Promise<Changed<T>>,
  ): Promise<T> {
    return withStore(context, (prisma) =>
      change(prisma, async (transaction) => work(transaction, await requireOperatorId(transaction, name))),
    );
  }

  withRole(operator.command('create').description('make an operator, with a link that signs them in once'))
    .argument('<name>', 'a word or an e-mail address')
    .action(async (name: string, { role, account }: RoleOptions, command: Command) => {
      const grants = [{ role, accountId: account ?? null }];
      const wanted = { name, grants, at: systemClock.now() };
      const made = await withStore(context, (prisma) => change(prisma, (inside) => addOperator(inside, wanted, by)));
      await tell(command, made.operator.name, made.link, `The operator ${made.operator.name} was made.`);
    });

  /** A command that gives an operator a link. */
  const linking = (name: string, description: string, give: typeof giveLink, said: (operator: string) => string) =>
    operator
      .command(name)
      .description(description)
      .argument('<name>')
      .action(async (operator: string, _options: object, command: Command) => {
        const link = await about(operator, (prisma, id) => give(prisma, id, systemClock.now(), by));
        await tell(command, operator, link, said(operator));
      });

  linking(
    'link',
    'give an operator a further link that signs them in once; those before it are good no more',
    giveLink,
    (name) => `${name} has a link.`,
  );
  linking(
    'reset',
    'take the password and the second factor from an operator, sign them out, and give them a link',
    resetOperator,
    (name) => `${name} begins anew.`,
  );

  withRole(operator.command('role').description('give an operator a role for an account, or for the installation'))
    .argument('<name>')
    .option('--none', 'take the role for the account, or for the installation, away; the others stay')
    .option('--all', 'with --none: take every role away')
    .action(async (name: string, { account, none = false, all = false, ...given }: RoleChange, command: Command) => {
      if (all && (!none || account !== undefined)) command.error("error: option '--all' goes with '--none' alone");
      const role = none ? null : given.role;
      const { taken } = await about(name, (prisma, operatorId) => {
        if (all) return setGrants(prisma, operatorId, [], by);
        if (account === undefined) return setInstallationRole(prisma, { operatorId, role }, by);
        return setAccountRole(prisma, { accountId: account, operatorId, role }, by);
      });
      const place = all ? 'any account, or for the installation' : nameOf(account ?? null);
      const said = role === null ? `${name} has no role for ${place}.` : `${name} is ${role} of ${place}.`;
      const before = taken.map((each) => `${each.role} of ${nameOf(each.accountId)}`).join(', ');
      const result = {
        ...{ name, role, accountId: account ?? null },
        taken: taken.map((each) => pick(each, 'role', 'accountId')),
      };
      print(context, command, result, before ? `${said} Taken: ${before}.` : said);
    });

  addSwitch(operator.command('set').description('switch an operator on or off').argument('<name>'), {
    on: 'let them sign in',
    off: 'sign them out, and let them sign in no more',
  }).action(async (name: string, options: Switch, command: Command) => {
    const isActive = wantedState(options);
    if (isActive === undefined) command.error("error: option '--on' or '--off' must be given");
    const wanted = isActive === true;
    await about(name, (prisma, id) => switchOperator(prisma, id, wanted, by));
    print(context, command, { name, isActive: wanted }, `${name} is switched ${wanted ? 'on' : 'off'}.`);
  });

  operator
    .command('remove')
    .description('take an operator away; the audit log keeps their name')
    .argument('<name>')
    .action(async (name: string, _options: object, command: Command) => {
      await about(name, (prisma, id) => removeOperator(prisma, id, by));
      print(context, command, { name, removed: true }, `The operator ${name} was removed.`);
    });

  addList(operator, context, {
    description: 'all operators and their roles, the newest first',
    find: async (prisma) => {
      const { operators } = await listOperators({ prisma }, { limit: MOST, before: null });
      return operators.map((each) => ({
        ...pick(each, 'id', 'name', 'isActive', 'hasPassword', 'hasSecondFactor'),
        grants: each.grants.map(({ role, accountId }) => ({ role, accountId })),
        lastSignedInAt: each.lastSignedInAt?.toISOString() ?? null,
      }));
    },
    columns: {
      NAME: 'name',
      STATE: ({ isActive }) => (isActive ? 'on' : 'off'),
      ROLES: ({ grants }) =>
        grants.map(({ role, accountId }) => `${role} of ${accountId ?? 'the installation'}`).join(', '),
      'SECOND FACTOR': ({ hasSecondFactor }) => (hasSecondFactor ? 'yes' : 'no'),
      'SIGNED IN': 'lastSignedInAt',
    },
  });
}

/** Where browsers reach the console: as it is set, or else where the server of this data folder listened last. */
async function addressOfConsole({ env }: CliContext): Promise<string> {
  const { host, port, consoleUrl, localUrl, dataDir } = loadConfig(env);
  const known = consoleUrl ?? localUrl;
  if (known) return known;
  const last = (env ?? readEnvironment()).PORT ? undefined : await readDemoBaseUrl(dataDir);
  return last ?? demoBaseUrl(host, port);
}

function withRole(command: Command): Command {
  return command
    .addOption(new Option('--role <role>', 'what they may do').choices([...ROLES]).default('owner'))
    .option('--account <account-id>', 'for one account only; without it, for the whole installation');
}
