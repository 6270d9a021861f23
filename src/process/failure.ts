/** A promise that rejects when the embedded store is lost, and otherwise never settles. */
export function failureOf(lost: Promise<void> | null): Promise<never> {
  const failed = new Promise<never>((_, reject) => {
    lost?.catch(reject);
  });
  failed.catch(() => undefined);
  return failed;
}
