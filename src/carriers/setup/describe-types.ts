import type { TObject, TSchema } from '@sinclair/typebox';
import type { CarrierType } from '../carrier-type.js';

export type DescribedSetting = {
  name: string;
  kind: 'text' | 'number' | 'integer' | 'boolean' | 'json';
  /** Null for any value. */
  choices: string[] | null;
  required: boolean;
  /** As JSON. */
  default: string | null;
  /** Whether the setting's value may be a reference (`env:NAME`, `file:/path`). */
  secret: boolean;
  /** See `CarrierType.destinations`. */
  destination: boolean;
  description: string;
};

export type DescribedType = {
  type: string;
  kinds: ('sms' | 'whatsapp')[];
  settings: DescribedSetting[];
  presets: DescribedPreset[];
  channelSettings: DescribedSetting[];
  /** See `CarrierType.logsCalls`. */
  logsCalls: boolean;
};

export type DescribedPreset = { name: string; title: string; help: string; settings: DescribedSetting[] };

export function describeTypes(types: readonly CarrierType[]): DescribedType[] {
  return types.map(({ type, kinds, settings, secrets, destinations, presets = [], channelSettings, ...rest }) => ({
    type,
    kinds: [...kinds],
    settings: describeSettings(settings, secrets, destinations),
    presets: presets.map(({ name, title, help, ...form }) => ({
      ...{ name, title, help },
      settings: describeSettings(form.settings, form.secrets, form.destinations),
    })),
    channelSettings: channelSettings ? describeSettings(channelSettings, [], []) : [],
    logsCalls: rest.logsCalls ?? false,
  }));
}

function describeSettings(
  { properties, required = [] }: TObject,
  secrets: readonly string[],
  destinations: readonly string[],
): DescribedSetting[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    kind: getKind(schema),
    choices: (schema.enum as string[] | undefined) ?? null,
    required: required.includes(name) && schema.default === undefined,
    default: schema.default === undefined ? null : JSON.stringify(schema.default),
    secret: secrets.includes(name),
    destination: destinations.includes(name),
    description: schema.description ?? '',
  }));
}

function getKind({ type }: TSchema): DescribedSetting['kind'] {
  if (type === 'string') return 'text';
  return type === 'number' || type === 'integer' || type === 'boolean' ? type : 'json';
}
