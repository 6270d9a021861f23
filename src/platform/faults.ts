/** Points where a test can kill, block or fail the process. Example of a name: `accept:before-queue`. */
export interface FaultPoints {
  hit(name: string): Promise<void> | void;
}

export const noFaults: FaultPoints = { hit: () => undefined };
