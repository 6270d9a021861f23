/**
 * Named points where a test can kill the process, block it or make it fail. Production uses `noFaults`. Names have the
 * form `area:moment`, for example `accept:before-queue`.
 */
export interface FaultPoints {
  hit(name: string): Promise<void> | void;
}

export const noFaults: FaultPoints = { hit: () => undefined };
