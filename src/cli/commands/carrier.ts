import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { pino } from 'pino';
import {
  addCarrier,
  changeCarrier,
  channelsOf,
  listCarriers,
  removeCarrier,
  requireCarrier,
  requireType,
} from '../../carriers/setup/carriers.js';
import { checkCarrier } from '../../carriers/setup/check.js';
import { parseSettings, type SettingValues, shownSettings } from '../../carriers/setup/settings.js';
import { CARRIER_TYPES, carrierType } from '../../carriers/types.js';
import { readEnvironment } from '../../platform/environment.js';
import type { Carrier } from '../../platform/generated/prisma/client.js';
import type { CliContext } from '../context.js';
import { collect, print, table } from '../output.js';
import { withStore } from '../store.js';

interface SetOptions {
  set: string[];
  unset: string[];
  file?: string;
  on?: boolean;
  off?: boolean;
}

const SET = ['--set <name=value>', 'a setting; may be given again and again', collect, []] as const;
const FILE = ['--file <path>', 'a file with settings as one JSON object, under those given by --set'] as const;

/** `heliograph carrier …` */
export function addCarrierCommands(program: Command, context: CliContext): void {
  const carrier = program.command('carrier').description('carriers that messages leave by; the simulator needs none');
  const types = carrierTypes(context);

  carrier
    .command('types')
    .description('the types of carriers, and their settings')
    .action((_options: object, command: Command) => {
      const described = types.map(({ type, kinds, settings, secrets }) => ({
        type,
        kinds: [...kinds],
        settings: Object.entries(settings.properties).map(([name, schema]) => ({
          name,
          required: (settings.required ?? []).includes(name),
          default: schema.default === undefined ? null : JSON.stringify(schema.default),
          secret: secrets.includes(name),
          description: schema.description ?? '',
        })),
      }));
      const rows = described.flatMap(({ type, settings }) =>
        settings.map((each) => [
          type,
          each.name,
          each.default ?? (each.required ? 'required' : ''),
          `${each.description}${each.secret ? ' Secret: may be env:NAME or file:/path.' : ''}`,
        ]),
      );
      print(context, command, described, table(['TYPE', 'SETTING', 'DEFAULT', 'WHAT IT IS'], rows));
    });

  carrier
    .command('add')
    .description('set a carrier up; running servers open it some seconds later')
    .argument('<name>', 'by which channels and routes name it: lower-case letters, digits and hyphens')
    .addOption(new Option('--type <type>', 'see "carrier types"').makeOptionMandatory())
    .option(...SET)
    .option(...FILE)
    .action(async (name: string, options: SetOptions & { type: string }, command: Command) => {
      const settings = readSettings(requireType(options.type, types).settings, options);
      const made = await withStore(context, (prisma) => addCarrier(prisma, { ...options, name, settings }, types));
      print(context, command, shown(made), `Carrier ${name} (${made.type}) was made. Try it: carrier check ${name}`);
    });

  carrier
    .command('set')
    .description('change settings, or switch a carrier on or off; running servers obey some seconds later')
    .argument('<name>')
    .option(...SET)
    .option('--unset <name>', 'a setting that goes back to its default', collect, [])
    .option(...FILE)
    .option('--on', 'let it take messages')
    .addOption(new Option('--off', 'let it take none').conflicts('on'))
    .action(async (name: string, options: SetOptions, command: Command) => {
      const isActive = options.on ? true : options.off ? false : undefined;
      const changed = await withStore(context, async (prisma) => {
        const { type } = await requireCarrier(prisma, name);
        const set = readSettings(carrierType(type, types)?.settings, options);
        return changeCarrier(prisma, name, { set, unset: options.unset, isActive }, types);
      });
      print(context, command, shown(changed), `Carrier ${name} was changed.`);
    });

  carrier
    .command('list')
    .description('all carriers and their settings, secrets left out')
    .action(async (_options: object, command: Command) => {
      const carriers = (await withStore(context, (prisma) => listCarriers(prisma))).map(shown);
      const rows = carriers.map(({ name, type, isActive, settings }) => [
        name,
        type,
        isActive ? 'on' : 'off',
        Object.entries(settings)
          .map(([setting, value]) => `${setting}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
          .join(' '),
      ]);
      print(context, command, carriers, table(['NAME', 'TYPE', 'STATE', 'SETTINGS'], rows));
    });

  carrier
    .command('remove')
    .description('take a carrier away that no channel and no route names')
    .argument('<name>')
    .action(async (name: string, _options: object, command: Command) => {
      await withStore(context, (prisma) => removeCarrier(prisma, name));
      print(context, command, { name, removed: true }, `Carrier ${name} was removed.`);
    });

  carrier
    .command('check')
    .description('try a carrier out from here, without sending a message, and say what is wrong')
    .argument('<name>')
    .action(async (name: string, _options: object, command: Command) => {
      const { row, channels } = await withStore(context, async (prisma) => ({
        row: await requireCarrier(prisma, name),
        channels: await channelsOf(prisma, name),
      }));
      const { json } = command.optsWithGlobals<{ json?: boolean }>();
      const steps: { what: string; problem: string | null; setting: string | null }[] = [];
      const options = { types, env: context.env ?? readEnvironment(), log: pino({ level: 'silent' }) };
      for await (const step of checkCarrier({ ...row, settings: row.settings as SettingValues }, channels, options)) {
        steps.push({ what: step.what, problem: step.problem, setting: step.setting ?? null });
        const setting = step.setting ? ` (see the setting ${step.setting})` : '';
        if (!json)
          context.write(step.problem ? `FAILED  ${step.what}: ${step.problem}${setting}\n` : `ok      ${step.what}\n`);
      }
      const failed = steps.some(({ problem }) => problem !== null);
      if (json) print(context, command, { name, ok: !failed, steps }, '');
      if (failed) command.error(`The carrier ${name} does not work.`, { exitCode: 1 });
      if (!json) context.write(`The carrier ${name} works.\n`);
    });

  function shown({ name, type, settings, isActive, createdAt, updatedAt }: Carrier) {
    return {
      name,
      type,
      isActive,
      settings: shownSettings(carrierType(type, types), settings as SettingValues) as Record<string, string>,
      createdAt: createdAt.toISOString(),
      updatedAt: updatedAt.toISOString(),
    };
  }
}

/** The types that commands know; tests bring their own. */
export function carrierTypes(context: CliContext) {
  return context.carrierTypes ?? CARRIER_TYPES;
}

function readSettings(schema: Parameters<typeof parseSettings>[0], { set, file }: SetOptions): SettingValues {
  const fromFile = file === undefined ? {} : (JSON.parse(readFileSync(file, 'utf8')) as unknown);
  if (typeof fromFile !== 'object' || fromFile === null || Array.isArray(fromFile)) {
    throw new Error(`${file} must hold one JSON object`);
  }
  return { ...fromFile, ...parseSettings(schema, set) };
}
