/** Never resolves; rejects when the embedded store is lost. */
export function rejectWhenLost(lost: Promise<void> | null): Promise<never> {
  const failed = new Promise<never>((_, reject) => {
    lost?.catch(reject);
  });
  failed.catch(() => undefined);
  return failed;
}
