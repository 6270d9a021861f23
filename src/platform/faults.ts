/** Named points in the code, such as `accept:before-queue`, where a test can kill, block or fail the process. */
export interface FaultPoints {
  hit(name: string): Promise<void> | void;
}

export const noFaults: FaultPoints = { hit: () => undefined };
