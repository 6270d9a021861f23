import { Type } from '@sinclair/typebox';
import { genericSettings } from './generic/settings.js';
import { HTTP_PRESETS } from './presets/presets.js';

export const typeSettings: typeof genericSettings = Type.Object(
  {
    ...genericSettings.properties,
    preset: Type.Optional(
      Type.Unsafe<string>({
        ...genericSettings.properties.preset,
        enum: HTTP_PRESETS.map(({ name }) => name),
      }),
    ),
  },
  { additionalProperties: false },
);
