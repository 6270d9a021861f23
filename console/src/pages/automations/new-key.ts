let last = 0;

/** A unique React key for a step of the form. */
export function newKey(): string {
  last += 1;
  return `step-${last}`;
}
