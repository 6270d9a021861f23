/**
 * Named places where a test may kill the process, hold it or make it fail. Production has none: `noFaults` returns at
 * once. Names are `area:moment`, e.g. `accept:before-queue`.
 */
export interface FaultPoints {
  hit(name: string): Promise<void> | void;
}

export const noFaults: FaultPoints = { hit: () => undefined };
