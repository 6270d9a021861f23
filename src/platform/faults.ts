/** Points where a test can kill, block or fail the process, such as `accept:before-queue`. */
export interface FaultPoints {
  hit(name: string): Promise<void> | void;
}

export const noFaults: FaultPoints = { hit: () => undefined };
