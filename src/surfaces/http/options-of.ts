/**
 * What use cases must be given, the first parameters of all of them together: `OptionsOf<typeof one | typeof other>`. A
 * surface names its options by this and hands them on as they are: it knows neither the store nor any other part of them.
 */
// biome-ignore lint/suspicious/noExplicitAny: any function whose first parameter is its options.
export type OptionsOf<F extends (options: any, ...rest: any[]) => unknown> = (
  F extends unknown
    ? (options: Parameters<F>[0]) => void
    : never
) extends (options: infer All) => void
  ? All
  : never;
