import type { TObject, TSchema } from '@sinclair/typebox';
import type { CarrierType } from '../carrier-type.js';

/** A setting of a type of carriers or of its channels, as operators read of it. */
export type DescribedSetting = {
  name: string;
  /** What its value is in JSON. */
  kind: 'text' | 'number' | 'integer' | 'boolean' | 'json';
  /** The values that it may have; null: any of its kind. */
  choices: string[] | null;
  required: boolean;
  /** As JSON; null where there is none. */
  default: string | null;
  /** Whether it is hidden in lists, and may stand elsewhere: `env:NAME` or `file:/path`. */
  secret: boolean;
  /** Whether it says where secrets are sent, so that who changes it at the console gives them again. */
  destination: boolean;
  description: string;
};

/** A type of carriers, as operators read of it. */
export type DescribedType = {
  type: string;
  kinds: ('sms' | 'whatsapp')[];
  settings: DescribedSetting[];
  /** Its forms, each with settings of its own in place of those of the type. */
  presets: DescribedPreset[];
  /** What its carriers must know of a WhatsApp channel. */
  channelSettings: DescribedSetting[];
  /** Whether its carriers' calls are written down (`CarrierType.logsCalls`). */
  logsCalls: boolean;
};

/** A form of a type, as operators read of it. */
export type DescribedPreset = { name: string; title: string; help: string; settings: DescribedSetting[] };

/** What operators can set up, type by type. */
export function describeTypes(types: readonly CarrierType[]): DescribedType[] {
  return types.map(({ type, kinds, settings, secrets, destinations, presets = [], channelSettings, ...rest }) => ({
    type,
    kinds: [...kinds],
    settings: describe(settings, secrets, destinations),
    presets: presets.map(({ name, title, help, ...form }) => ({
      ...{ name, title, help },
      settings: describe(form.settings, form.secrets, form.destinations),
    })),
    channelSettings: channelSettings ? describe(channelSettings, [], []) : [],
    logsCalls: rest.logsCalls ?? false,
  }));
}

function describe(
  { properties, required = [] }: TObject,
  secrets: readonly string[],
  destinations: readonly string[],
): DescribedSetting[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    kind: kindOf(schema),
    choices: (schema.enum as string[] | undefined) ?? null,
    required: required.includes(name) && schema.default === undefined,
    default: schema.default === undefined ? null : JSON.stringify(schema.default),
    secret: secrets.includes(name),
    destination: destinations.includes(name),
    description: schema.description ?? '',
  }));
}

function kindOf({ type }: TSchema): DescribedSetting['kind'] {
  if (type === 'string') return 'text';
  return type === 'number' || type === 'integer' || type === 'boolean' ? type : 'json';
}
