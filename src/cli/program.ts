import { Command, CommanderError, Help, type Option } from 'commander';
import { readUnitFile, useEnvironmentFile } from '../platform/machine/environment.js';
import { VERSION } from '../platform/package-folder.js';
import { redactCredentials } from '../platform/store/redact-url.js';
import { OutputError } from './command-output.js';
import { addAccountCommands } from './commands/accounts/account.js';
import { addAppCommands } from './commands/accounts/app.js';
import { addGuardCommands } from './commands/accounts/guard.js';
import { addKeyCommands } from './commands/accounts/key.js';
import { addOperatorCommands } from './commands/accounts/operator.js';
import { addRateCommands } from './commands/accounts/rate.js';
import { addAuditCommands } from './commands/audit.js';
import { addCallbackCommands } from './commands/carriers/callbacks.js';
import { addCarrierCommands } from './commands/carriers/carrier.js';
import { addRouteCommands } from './commands/carriers/route.js';
import { addChannelCommands } from './commands/channel.js';
import { addSignInCommands } from './commands/codes/sign-in.js';
import { addSimulatorCommands } from './commands/codes/simulator.js';
import { addBackupCommands } from './commands/data/backup.js';
import { addEraseCommand } from './commands/data/erase.js';
import { addMoveCommand } from './commands/data/move.js';
import { addStoreCommands } from './commands/data/store.js';
import { addContactCommands } from './commands/people/contacts.js';
import { addOptOutCommands } from './commands/people/opt-out.js';
import { addPersonCommands } from './commands/people/person.js';
import { addWebhookCommands } from './commands/webhook.js';
import type { CliContext } from './context.js';
import { addDoctorCommand } from './doctor/command.js';
import { explain } from './explain.js';
import { print } from './output.js';
import { migrateStore } from './store.js';

const SETTINGS_HELP = `
Commands use the settings of the server: environment variables, and the file .env in this folder or the file given by
--env-file. Without DATABASE_URL the store is the embedded PostgreSQL in DATA_DIR (./.data). Commands print the store they use
and any errors to standard error. The exit code is 1 on errors.`;

export async function runCli(args: readonly string[], outerContext: CliContext): Promise<number> {
  // Credentials are removed, because error messages quote the command line, which may contain a URL with a password.
  const context: CliContext = {
    ...outerContext,
    writeError: (text) => outerContext.writeError(redactCredentials(text)),
  };
  const wantsJson = args.includes('--json');
  try {
    await buildProgram(context, wantsJson).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    // The caller of `runCli` reports output errors after the remaining output has been written.
    if (error instanceof OutputError) return error.exitCode;
    const message = explain(error);
    context.writeError(`${wantsJson ? JSON.stringify({ error: { message } }) : message}\n`);
    return 1;
  }
}

export function buildProgram(context: CliContext, wantsJson = false): Command {
  const program = new Command('heliograph')
    .description('Sends SMS and WhatsApp messages through one HTTP interface.')
    .version(VERSION)
    .option('--json', 'print results as JSON, for scripts')
    .option(
      '--env-file <path>',
      'read settings from this file, in the format of a systemd EnvironmentFile; overrides the environment',
    )
    .configureHelp({ showGlobalOptions: true, optionDescription: describeOption })
    .addHelpText('after', SETTINGS_HELP)
    .exitOverride()
    .hook('preAction', (_program, command) => applyEnvironmentFile(context, command))
    .configureOutput({
      writeOut: (text) => context.write(text),
      writeErr: (text) => context.writeError(text),
      outputError: (text, write) =>
        write(wantsJson ? `${JSON.stringify({ error: { message: text.trim().replace(/^error: /, '') } })}\n` : text),
    });

  program
    .command('serve')
    .description('run the server until it receives a signal')
    .action(async () => {
      await import('../main.js');
    });
  program
    .command('migrate')
    .description('apply pending database migrations')
    .action(async (_options: object, command: Command) => {
      const applied = await migrateStore(context);
      const lines = [...applied.map((name) => `Applied ${name}`), 'The database is up to date.'];
      print(context, command, { migrated: true, applied }, lines.join('\n'));
    });
  addDoctorCommand(program, context);
  addAccountCommands(program, context);
  addAppCommands(program, context);
  addChannelCommands(program, context);
  addKeyCommands(program, context);
  addGuardCommands(program, context);
  addCarrierCommands(program, context);
  addCallbackCommands(program, context);
  addRouteCommands(program, context);
  addSignInCommands(program, context);
  addSimulatorCommands(program, context);
  addContactCommands(program, context);
  addRateCommands(program, context);
  addOptOutCommands(program, context);
  addPersonCommands(program, context);
  addEraseCommand(program, context);
  addWebhookCommands(program, context);
  addOperatorCommands(program, context);
  addAuditCommands(program, context);
  addBackupCommands(program, context);
  addMoveCommand(program, context);
  addStoreCommands(program, context);
  return program;
}

/** The file given by --env-file replaces `.env` for this command, and for a server that the command starts. */
function applyEnvironmentFile(context: CliContext, command: Command): void {
  const { envFile } = command.optsWithGlobals<{ envFile?: string }>();
  if (envFile === undefined) return;
  if (context.env) context.env = { ...context.env, ...readUnitFile(envFile) };
  else useEnvironmentFile(envFile);
}

function describeOption(option: Option): string {
  const text = new Help().optionDescription(option).replace(/ \(default: (false|\[\])\)$/, '');
  return option.mandatory ? `${text} (required)` : text;
}
