import type { CarrierType } from '../carrier-type.js';

/** A setting of a type of carriers, as operators read of it. */
export type DescribedSetting = {
  name: string;
  required: boolean;
  /** As JSON; null where there is none. */
  default: string | null;
  /** Whether it is hidden in lists, and may stand elsewhere: `env:NAME` or `file:/path`. */
  secret: boolean;
  description: string;
};

/** A type of carriers, as operators read of it. */
export type DescribedType = {
  type: string;
  kinds: ('sms' | 'whatsapp')[];
  settings: DescribedSetting[];
};

/** What operators can set up, type by type. */
export function describeTypes(types: readonly CarrierType[]): DescribedType[] {
  return types.map(({ type, kinds, settings, secrets }) => ({
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
}
