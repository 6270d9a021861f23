import { type Command, Option } from 'commander';
import type { CarrierType } from '../../../carriers/carrier-type.js';
import { findSettingsForm, parseSettings, type SettingValues } from '../../../carriers/settings.js';
import { buildCarrierChangeEntry } from '../../../carriers/setup/audit-carrier-change.js';
import { findHelp, listEntries, toCarrierView } from '../../../carriers/setup/carrier-view.js';
import {
  addCarrier,
  changeCarrier,
  listCarriers,
  lockCarrier,
  removeCarrier,
  requireType,
} from '../../../carriers/setup/carriers.js';
import { describeTypes } from '../../../carriers/setup/describe-types.js';
import { findCarrierType } from '../../../carriers/types.js';
import type { Carrier } from '../../../platform/generated/prisma/client.js';
import { readTextFile } from '../../../platform/text/text-file.js';
import { addList, addRemoval } from '../../actions.js';
import { withChange } from '../../change.js';
import { type CliContext, getCarrierTypes } from '../../context.js';
import { addSwitch, collect, readSwitch, type Switch } from '../../options.js';
import { formatTable, pick, print } from '../../output.js';
import { addCarrierCalls } from './carrier-calls.js';
import { addCarrierCheck } from './carrier-check.js';
import { addCarrierStatus } from './carrier-status.js';
import { addCarrierShow, addCarrierTry } from './carrier-try.js';

interface SettingOptions {
  set: string[];
  file?: string;
}

interface NewCarrierOptions extends SettingOptions {
  type: string;
  preset?: string;
  off?: boolean;
}

const SET_OPTION = ['--set <name=value>', 'a setting; can be repeated', collect, []] as const;
const FILE_OPTION = ['--file <path>', 'a file with settings as one JSON object; --set overrides it'] as const;

export function addCarrierCommands(program: Command, context: CliContext): void {
  const carrier = program
    .command('carrier')
    .description('carriers that deliver messages; the simulator needs no setup');
  const types = getCarrierTypes(context);

  carrier
    .command('types')
    .description('list the types of carriers and their settings')
    .action((_options: object, command: Command) => {
      const typeDescriptions = describeTypes(types);
      const forms = typeDescriptions.flatMap(({ type, settings, presets }) => [
        { name: type, settings },
        ...presets.map((preset) => ({ ...preset, name: `${type} --preset ${preset.name}` })),
      ]);
      const rows = forms.flatMap(({ name, settings }) =>
        settings.map((setting) => [
          name,
          setting.name,
          setting.default ?? (setting.required ? 'required' : ''),
          `${setting.description}${setting.secret ? ' Secret: may be env:NAME or file:/path.' : ''}`,
        ]),
      );
      print(context, command, typeDescriptions, formatTable(['TYPE', 'SETTING', 'DEFAULT', 'DESCRIPTION'], rows));
    });

  carrier
    .command('add')
    .description('add a carrier; running servers open it within seconds')
    .argument('<name>', 'name for channels and routes: lower-case letters, digits and hyphens')
    .addOption(new Option('--type <type>', 'see "carrier types"').makeOptionMandatory())
    .option('--preset <preset>', 'the vendor, for types with presets')
    .option(...SET_OPTION)
    .option(...FILE_OPTION)
    .option('--off', 'add it switched off: check it first, then run "carrier set <name> --on"')
    .action(async (name: string, options: NewCarrierOptions, command: Command) => {
      const { preset } = options;
      const presetSetting = preset === undefined ? {} : { preset };
      const settings = { ...readSettings(requireType(options.type, types), options, presetSetting), ...presetSetting };
      const created = await withChange(
        context,
        (prisma) => addCarrier(prisma, { type: options.type, name, settings, isActive: !options.off }, types),
        (carrier) => ({ action: 'carrier.create', subject: carrier.name, after: toAuditEntry(carrier) }),
      );
      print(
        context,
        command,
        toOutput(created),
        [
          `Created carrier ${name} (${created.type})${created.isActive ? '' : ', switched off'}. Test it: carrier check ${name}`,
          ...listEntries(created, types).map(({ what, value }) => `${what}: ${value}`),
          ...[findHelp(created, types)].filter((help) => help !== null),
        ].join('\n'),
      );
    });

  const setCommand = carrier
    .command('set')
    .description('change settings, or switch a carrier on or off; running servers follow within seconds')
    .argument('<name>')
    .option(...SET_OPTION)
    .option('--unset <name>', 'reset a setting to its default', collect, [])
    .option(...FILE_OPTION);
  addSwitch(setCommand, { on: 'use it for messages', off: 'do not use it' }).action(
    async (name: string, options: SettingOptions & Switch & { unset: string[] }, command: Command) => {
      const isActive = readSwitch(options);
      const { after: carrierRow } = await withChange(
        context,
        async (prisma) => {
          const before = await lockCarrier(prisma, name);
          const { unset } = options;
          const set = readSettings(findCarrierType(before.type, types), options, before.settings as SettingValues);
          const after = await changeCarrier(prisma, name, { set, unset, isActive }, types);
          return { before, after };
        },
        ({ before, after }) => buildCarrierChangeEntry(before, after, types),
      );
      print(context, command, toOutput(carrierRow), `Changed carrier ${name}.`);
    },
  );

  addList(carrier, context, {
    description: 'list all carriers and their settings, without secrets',
    find: async (prisma) => (await listCarriers(prisma)).map(toOutput),
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

  addRemoval(carrier, context, 'remove', {
    noun: 'Carrier',
    key: 'name',
    description: 'remove a carrier that no channel or route uses',
    perform: async (prisma, name) => {
      const before = await lockCarrier(prisma, name);
      await removeCarrier(prisma, name);
      return { before: toAuditEntry(before) };
    },
  });

  addCarrierCheck(carrier, context);
  addCarrierShow(carrier, context);
  addCarrierStatus(carrier, context);
  addCarrierTry(carrier, context);
  addCarrierCalls(carrier, context);

  /** Contains no secrets. */
  function toAuditEntry(row: Carrier) {
    return pick(toOutput(row), 'type', 'isActive', 'settings');
  }

  function toOutput(row: Carrier) {
    const { settings, ...rest } = toCarrierView(row, types);
    return { ...rest, settings: settings as Record<string, string> };
  }
}

/** The preset in `current` is used unless `file` or `set` contains a preset. */
function readSettings(type: CarrierType | null, { set, file }: SettingOptions, current: SettingValues): SettingValues {
  const fileSettings = file === undefined ? {} : (JSON.parse(readTextFile(file)) as unknown);
  if (typeof fileSettings !== 'object' || fileSettings === null || Array.isArray(fileSettings)) {
    throw new Error(`${file} must contain one JSON object`);
  }
  const preset = set.find((pair) => pair.startsWith('preset='))?.slice('preset='.length);
  const allSettings = { ...current, ...fileSettings, ...(preset !== undefined && { preset }) };
  return { ...fileSettings, ...parseSettings(type ? findSettingsForm(type, allSettings).settings : undefined, set) };
}
