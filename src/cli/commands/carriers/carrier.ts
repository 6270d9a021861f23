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
import { type CliContext, carrierTypes } from '../../context.js';
import { addSwitch, collect, type Switch, switchState } from '../../options.js';
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

const SET = ['--set <name=value>', 'a setting; can be repeated', collect, []] as const;
const FILE = ['--file <path>', 'a file with settings as one JSON object; --set overrides it'] as const;

export function addCarrierCommands(program: Command, context: CliContext): void {
  const carrier = program
    .command('carrier')
    .description('carriers that deliver messages; the simulator needs no setup');
  const types = carrierTypes(context);

  carrier
    .command('types')
    .description('list the types of carriers and their settings')
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
      print(context, command, described, table(['TYPE', 'SETTING', 'DEFAULT', 'DESCRIPTION'], rows));
    });

  carrier
    .command('add')
    .description('add a carrier; running servers open it within seconds')
    .argument('<name>', 'name for channels and routes: lower-case letters, digits and hyphens')
    .addOption(new Option('--type <type>', 'see "carrier types"').makeOptionMandatory())
    .option('--preset <preset>', 'the vendor, for types with presets')
    .option(...SET)
    .option(...FILE)
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

  const change = carrier
    .command('set')
    .description('change settings, or switch a carrier on or off; running servers follow within seconds')
    .argument('<name>')
    .option(...SET)
    .option('--unset <name>', 'reset a setting to its default', collect, [])
    .option(...FILE);
  addSwitch(change, { on: 'use it for messages', off: 'do not use it' }).action(
    async (name: string, options: Settings & Switch & { unset: string[] }, command: Command) => {
      const isActive = switchState(options);
      const { after: changed } = await withChange(
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
      print(context, command, toOutput(changed), `Changed carrier ${name}.`);
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

/** @param current existing settings; their preset is used unless `file` or `set` contains one */
function readSettings(type: CarrierType | null, { set, file }: Settings, current: SettingValues): SettingValues {
  const fromFile = file === undefined ? {} : (JSON.parse(readTextFile(file)) as unknown);
  if (typeof fromFile !== 'object' || fromFile === null || Array.isArray(fromFile)) {
    throw new Error(`${file} must contain one JSON object`);
  }
  const preset = set.find((pair) => pair.startsWith('preset='))?.slice('preset='.length);
  const chosen = { ...current, ...fromFile, ...(preset !== undefined && { preset }) };
  return { ...fromFile, ...parseSettings(type ? findSettingsForm(type, chosen).settings : undefined, set) };
}
