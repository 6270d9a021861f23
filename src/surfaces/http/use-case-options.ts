/**
 * The intersection of the first parameters of several use cases: `UseCaseOptions<typeof send | typeof cancel>`. A surface declares its
 * options with it and passes them on without knowing their parts.
 */
// biome-ignore lint/suspicious/noExplicitAny: any function whose first parameter is its options.
export type UseCaseOptions<F extends (options: any, ...rest: any[]) => unknown> = (
  F extends unknown
    ? (options: Parameters<F>[0]) => void
    : never
) extends (options: infer All) => void
  ? All
  : never;
