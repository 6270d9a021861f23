/** Thrown when the input as a whole cannot be read. */
export class ImportInputError extends Error {}
