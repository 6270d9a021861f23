import { type Command, Option } from 'commander';
import type { CarrierType } from '../../../carriers/carrier-type.js';
import { formOf, parseSettings, type SettingValues } from '../../../carriers/settings.js';
import {
  addCarrier,
  changeCarrier,
  listCarriers,
  lockedCarrier,
  removeCarrier,
  requireType,
} from '../../../carriers/setup/carriers.js';
import { carrierChangeOf } from '../../../carriers/setup/change-of-carrier.js';
import { describeTypes } from '../../../carriers/setup/describe-types.js';
import { entriesFor, helpFor, showCarrier } from '../../../carriers/setup/shown-carrier.js';
import { carrierType } from '../../../carriers/types.js';
import type { Carrier } from '../../../platform/generated/prisma/client.js';
import { readTextFile } from '../../../platform/text/text-file.js';
import { addAct, addList } from '../../actions.js';
import { withChange } from '../../change.js';
import { type CliContext, carrierTypes } from '../../context.js';
import { addSwitch, collect, type Switch, wantedState } from '../../options.js';
import { pick, print, table } from '../../output.js';
import { addCarrierCalls } from './carrier-calls.js';
import { addCarrierCheck } from './carrier-check.js';
import { addCarrierStatus } from './carrier-status.js';
import { addCarrierShow, addCarrierTry } from './carrier-try.js';

interface Settings {
  set: string[];
  file?: string;
}

interface NewCarrierOptions extends Settings {
  type: string;
  preset?: string;
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
      const described = describeTypes(types);
      const forms = described.flatMap(({ type, settings, presets }) => [
        { name: type, settings },
        ...presets.map((preset) => ({ ...preset, name: `${type} --preset ${preset.name}` })),
      ]);
      const rows = forms.flatMap(({ name, settings }) =>
        settings.map((each) => [
          name,
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
    .option('--preset <preset>', 'the vendor, of a type that has presets')
    .option(...SET)
    .option(...FILE)
    .option('--off', 'let it take no messages yet: it can be checked, and switched on by "carrier set <name> --on"')
    .action(async (name: string, options: NewCarrierOptions, command: Command) => {
      const { preset } = options;
      const given = preset === undefined ? {} : { preset };
      const settings = { ...readSettings(requireType(options.type, types), options, given), ...given };
      const made = await withChange(
        context,
        (prisma) => addCarrier(prisma, { type: options.type, name, settings, isActive: !options.off }, types),
        (carrier) => ({ action: 'carrier.create', subject: carrier.name, after: audited(carrier) }),
      );
      print(
        context,
        command,
        shown(made),
        [
          `Carrier ${name} (${made.type}) was made${made.isActive ? '' : ', switched off'}. Try it: carrier check ${name}`,
          ...entriesFor(made, types).map(({ what, value }) => `${what}: ${value}`),
          ...[helpFor(made, types)].filter((help) => help !== null),
        ].join('\n'),
      );
    });

  const change = carrier
    .command('set')
    .description('change settings, or switch a carrier on or off; running servers obey some seconds later')
    .argument('<name>')
    .option(...SET)
    .option('--unset <name>', 'a setting that goes back to its default', collect, [])
    .option(...FILE);
  addSwitch(change, { on: 'let it take messages', off: 'let it take none' }).action(
    async (name: string, options: Settings & Switch & { unset: string[] }, command: Command) => {
      const isActive = wantedState(options);
      const { after: changed } = await withChange(
        context,
        async (prisma) => {
          const before = await lockedCarrier(prisma, name);
          const { unset } = options;
          const set = readSettings(carrierType(before.type, types), options, before.settings as SettingValues);
          const after = await changeCarrier(prisma, name, { set, unset, isActive }, types);
          return { before, after };
        },
        ({ before, after }) => carrierChangeOf(before, after, types),
      );
      print(context, command, shown(changed), `Carrier ${name} was changed.`);
    },
  );

  addList(carrier, context, {
    description: 'all carriers and their settings, secrets left out',
    find: async (prisma) => (await listCarriers(prisma)).map(shown),
    columns: {
      NAME: 'name',
      TYPE: 'type',
      STATE: (row) => (row.isActive ? 'on' : 'off'),
      SETTINGS: (row) =>
        Object.entries(row.settings)
          .map(([setting, value]) => `${setting}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
          .join(' '),
    },
  });

  addAct(carrier, context, 'remove', {
    what: 'Carrier',
    key: 'name',
    description: 'take a carrier away that no channel and no route names',
    perform: async (prisma, name) => {
      const before = await lockedCarrier(prisma, name);
      await removeCarrier(prisma, name);
      return { before: audited(before) };
    },
  });

  addCarrierCheck(carrier, context);
  addCarrierShow(carrier, context);
  addCarrierStatus(carrier, context);
  addCarrierTry(carrier, context);
  addCarrierCalls(carrier, context);

  /** What the audit log tells of a carrier: secrets are left out. */
  function audited(row: Carrier) {
    return pick(shown(row), 'type', 'isActive', 'settings');
  }

  function shown(row: Carrier) {
    const { settings, ...rest } = showCarrier(row, types);
    return { ...rest, settings: settings as Record<string, string> };
  }
}

/** @param known settings that stay; a preset among those that are given counts before that of these */
function readSettings(type: CarrierType | null, { set, file }: Settings, known: SettingValues): SettingValues {
  const fromFile = file === undefined ? {} : (JSON.parse(readTextFile(file)) as unknown);
  if (typeof fromFile !== 'object' || fromFile === null || Array.isArray(fromFile)) {
    throw new Error(`${file} must hold one JSON object`);
  }
  const preset = set.find((pair) => pair.startsWith('preset='))?.slice('preset='.length);
  const chosen = { ...known, ...fromFile, ...(preset !== undefined && { preset }) };
  return { ...fromFile, ...parseSettings(type ? formOf(type, chosen).settings : undefined, set) };
}
