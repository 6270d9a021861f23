/** Returns a promise that rejects when the embedded store is lost, and never resolves. */
export function rejectWhenLost(lost: Promise<void> | null): Promise<never> {
  const failure = new Promise<never>((_, reject) => {
    lost?.catch(reject);
  });
  failure.catch(() => undefined);
  return failure;
}
