import { type TObject, type TSchema, Type } from '@sinclair/typebox';

/** Field name as Surface A spells it, for example `created_at` for `createdAt`. */
type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${Snake<Rest>}`
    : `_${Lowercase<First>}${Snake<Rest>}`
  : Name;

type SnakeCased<T> = { [Name in keyof T as Name extends string ? Snake<Name> : never]: T[Name] };

const toSnakeName = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Converts only top-level names. */
export function toSnakeCase<T extends object>(record: T): SnakeCased<T> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [toSnakeName(name), value])) as SnakeCased<T>;
}

export function toSnakeCaseSchema<P extends Record<string, TSchema>>({ properties }: TObject<P>) {
  return Type.Object(toSnakeCase(properties) as SnakeCased<P> & Record<string, TSchema>);
}
