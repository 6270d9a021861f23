/** What is used here of the package `smpp`, which has no types of its own. */
declare module 'smpp' {
  export class PDU {
    constructor(command: string, options?: object);
    command: string;
    command_id: number;
    command_status: number;
    sequence_number: number;
    toBuffer(): Buffer;
  }
  export interface Smpp {
    PDU: typeof PDU;
    /** Values of command_status by their names (SMPP 3.4 §5.1.3). */
    errors: Readonly<Record<string, number>>;
  }
  const smpp: Smpp;
  export default smpp;
}
