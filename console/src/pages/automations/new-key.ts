let last = 0;

export function newKey(): string {
  last += 1;
  return `step-${last}`;
}
