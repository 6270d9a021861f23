/** Never resolves; rejects when the embedded store is lost. */
export function rejectWhenLost(lost: Promise<void> | null): Promise<never> {
  const failure = new Promise<never>((_, reject) => {
    lost?.catch(reject);
  });
  failure.catch(() => undefined);
  return failure;
}
