let lastKey = 0;

export function newKey(): string {
  lastKey += 1;
  return `step-${lastKey}`;
}
