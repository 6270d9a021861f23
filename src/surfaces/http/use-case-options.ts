/** The intersection of the first parameters of use cases: `UseCaseOptions<typeof send | typeof cancel>`. */
// biome-ignore lint/suspicious/noExplicitAny: any function whose first parameter is its options.
export type UseCaseOptions<F extends (options: any, ...rest: any[]) => unknown> = (
  F extends unknown
    ? (options: Parameters<F>[0]) => void
    : never
) extends (options: infer All) => void
  ? All
  : never;
