import { type Command, Option } from 'commander';
import { type ChangeResult, makeChange } from '../../../accounts/audit/change.js';
import {
  addOperator,
  issueLink,
  removeOperator,
  requireOperatorId,
  resetOperator,
  setOperatorActive,
} from '../../../accounts/operators/changes/change.js';
import { setAccountRole, setGrants, setInstallationRole } from '../../../accounts/operators/changes/grants.js';
import { listOperators } from '../../../accounts/operators/list.js';
import { type OperatorRole, ROLES } from '../../../accounts/operators/roles/roles.js';
import { buildSignInUrl, type NewLink } from '../../../accounts/operators/sign-in/sign-in-links.js';
import { readDemoBaseUrl, toDemoBaseUrl } from '../../../features/demo/keys-file.js';
import type { Prisma, PrismaClient } from '../../../platform/generated/prisma/client.js';
import { readEnvironment } from '../../../platform/machine/environment.js';
import { systemClock } from '../../../platform/system-clock.js';
import { loadConfig } from '../../../process/settings/config.js';
import { addList } from '../../actions.js';
import { cliActor } from '../../change.js';
import type { CliContext } from '../../context.js';
import { addSwitch, readSwitch, type Switch } from '../../options.js';
import { pick, print } from '../../output.js';
import { withStore } from '../../store.js';

const MAX_LISTED = 1000;

interface RoleOptions {
  role: OperatorRole;
  account?: string;
}

interface RoleChange extends RoleOptions {
  none?: boolean;
  all?: boolean;
}

function describeScope(accountId: string | null): string {
  return accountId === null ? 'the installation' : `the account ${accountId}`;
}

export function addOperatorCommands(program: Command, context: CliContext): void {
  const operator = program.command('operator').description('people who sign in to the console, and their roles');
  const auditSource = 'command line';

  const runChange = <T>(
    prisma: PrismaClient,
    work: (transaction: Prisma.TransactionClient) => Promise<ChangeResult<T>>,
  ) => makeChange({ prisma }, { actor: cliActor(), accountId: null }, (change) => work(change.prisma));

  async function printLink(
    command: Command,
    name: string,
    { token, expiresAt }: NewLink,
    message: string,
  ): Promise<void> {
    const url = buildSignInUrl(await findConsoleUrl(context), token);
    const until = expiresAt.toISOString();
    const text = `${message} This link works once, until ${until}, and is shown only once:\n${url}`;
    print(context, command, { name, signInUrl: url, expiresAt: until }, text);
  }

  function changeOperator<T>(
    name: string,
    work: (prisma: Prisma.TransactionClient, operatorId: string) => Promise<ChangeResult<T>>,
  ): Promise<T> {
    return withStore(context, (prisma) =>
      runChange(prisma, async (transaction) => work(transaction, await requireOperatorId(transaction, name))),
    );
  }

  withRole(operator.command('create').description('create an operator and print a one-time sign-in link'))
    .argument('<name>', 'a single word or an e-mail address')
    .action(async (name: string, { role, account }: RoleOptions, command: Command) => {
      const grants = [{ role, accountId: account ?? null }];
      const operatorDetails = { name, grants, at: systemClock.now() };
      const created = await withStore(context, (prisma) =>
        runChange(prisma, (transaction) => addOperator(transaction, operatorDetails, auditSource)),
      );
      await printLink(command, created.operator.name, created.link, `Created operator ${created.operator.name}.`);
    });

  const addLinkCommand = (
    name: string,
    description: string,
    createLink: typeof issueLink,
    describe: (operator: string) => string,
  ) =>
    operator
      .command(name)
      .description(description)
      .argument('<name>')
      .action(async (operator: string, _options: object, command: Command) => {
        const link = await changeOperator(operator, (prisma, id) =>
          createLink(prisma, id, systemClock.now(), auditSource),
        );
        await printLink(command, operator, link, describe(operator));
      });

  addLinkCommand(
    'link',
    'print a new one-time sign-in link for an operator; earlier links stop working',
    issueLink,
    (name) => `Created a link for ${name}.`,
  );
  addLinkCommand(
    'reset',
    'remove the password and second factor of an operator, sign them out, and print a sign-in link',
    resetOperator,
    (name) => `Reset ${name}.`,
  );

  withRole(operator.command('role').description('set the role of an operator for an account or the installation'))
    .argument('<name>')
    .option('--none', 'remove the role for the account or the installation; other roles stay')
    .option('--all', 'with --none: remove all roles')
    .action(async (name: string, { account, none = false, all = false, ...options }: RoleChange, command: Command) => {
      if (all && (!none || account !== undefined))
        command.error("error: option '--all' can only be used with '--none'");
      const role = none ? null : options.role;
      const { removed: roles } = await changeOperator(name, (prisma, operatorId) => {
        if (all) return setGrants(prisma, operatorId, [], auditSource);
        if (account === undefined) return setInstallationRole(prisma, { operatorId, role }, auditSource);
        return setAccountRole(prisma, { accountId: account, operatorId, role }, auditSource);
      });
      const scope = all ? 'any account or the installation' : describeScope(account ?? null);
      const text = role === null ? `${name} has no role for ${scope}.` : `${name} is ${role} of ${scope}.`;
      const removedRoles = roles.map((grant) => `${grant.role} of ${describeScope(grant.accountId)}`).join(', ');
      const result = {
        ...{ name, role, accountId: account ?? null },
        taken: roles.map((grant) => pick(grant, 'role', 'accountId')),
      };
      print(context, command, result, removedRoles ? `${text} Removed: ${removedRoles}.` : text);
    });

  addSwitch(operator.command('set').description('enable or disable an operator').argument('<name>'), {
    on: 'allow sign-in',
    off: 'sign them out and disallow sign-in',
  }).action(async (name: string, options: Switch, command: Command) => {
    const isActive = readSwitch(options);
    if (isActive === undefined) command.error("error: option '--on' or '--off' must be given");
    const enable = isActive === true;
    await changeOperator(name, (prisma, id) => setOperatorActive(prisma, id, enable, auditSource));
    print(context, command, { name, isActive: enable }, `${name} is ${enable ? 'enabled' : 'disabled'}.`);
  });

  operator
    .command('remove')
    .description('remove an operator; their name stays in the audit log')
    .argument('<name>')
    .action(async (name: string, _options: object, command: Command) => {
      await changeOperator(name, (prisma, id) => removeOperator(prisma, id, auditSource));
      print(context, command, { name, removed: true }, `Removed operator ${name}.`);
    });

  addList(operator, context, {
    description: 'list all operators and their roles, newest first',
    find: async (prisma) => {
      const { operators } = await listOperators({ prisma }, { limit: MAX_LISTED, before: null });
      return operators.map((row) => ({
        ...pick(row, 'id', 'name', 'isActive', 'hasPassword', 'hasSecondFactor'),
        grants: row.grants.map(({ role, accountId }) => ({ role, accountId })),
        lastSignedInAt: row.lastSignedInAt?.toISOString() ?? null,
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

/** Returns the URL from the settings, or else the address where the server of this data folder last listened. */
async function findConsoleUrl({ env }: CliContext): Promise<string> {
  const { host, port, consoleUrl, localUrl, dataDir } = loadConfig(env);
  const configuredUrl = consoleUrl ?? localUrl;
  if (configuredUrl) return configuredUrl;
  const lastUrl = (env ?? readEnvironment()).PORT ? undefined : await readDemoBaseUrl(dataDir);
  return lastUrl ?? toDemoBaseUrl(host, port);
}

function withRole(command: Command): Command {
  return command
    .addOption(new Option('--role <role>', 'what the operator may do').choices([...ROLES]).default('owner'))
    .option('--account <account-id>', 'limit the role to one account; default: the whole installation');
}
