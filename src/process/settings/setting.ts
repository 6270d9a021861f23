import { Type } from '@sinclair/typebox';

/** `.env.example` shows the descriptions. */
export const Setting = {
  text: (description: string, options: { default?: string; pattern?: string } = {}) =>
    Type.String({ description, minLength: 1, ...options }),
  url: (description: string, format: 'postgres-url' | 'redis-url') => Type.String({ description, format }),
  count: (description: string, options: { default: number; minimum: number; maximum?: number }) =>
    Type.Integer({ description, ...options }),
  choice: <const T extends string>(
    description: string,
    choices: readonly [T, ...T[]],
    preset: NoInfer<T> = choices[0],
  ) => Type.Unsafe<T>({ type: 'string', description, enum: [...choices], default: preset }),
};
