let last = 0;

/** Tells the steps of a form apart, however they are moved. */
export function newKey(): string {
  last += 1;
  return `step-${last}`;
}
